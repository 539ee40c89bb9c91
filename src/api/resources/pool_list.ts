import { ApiError } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'
import { POOL_LISTS, type PoolRef } from '../feed/pools.ts'
import type { DecodeResource, SendResource } from './requests.ts'

/**
 * A single 404 may come from a system that is starting. Switching lists needlessly can change the ids of the pools,
 * because the two lists may have different ids.
 */
const MAX_NOT_FOUND_IN_ROW = 1

const [NEWER, OLDER] = POOL_LISTS
type PoolList = typeof NEWER | typeof OLDER

/**
 * Reads the pools of a system from one of two lists: older and newer systems have only one of them. The list that
 * succeeded last is used again; the other list is tried after repeated 404, as after an upgrade.
 */
export function createPoolList(send: SendResource) {
  let lastGood: PoolList | undefined
  let notFoundInRow = 0

  async function readList(list: PoolList, signal: AbortSignal, figures?: DecodeResource<void>) {
    const pools = await requestList(send, list, signal, figures)
    lastGood = list
    notFoundInRow = 0
    return pools
  }

  function shouldTryOther({ reason }: ApiError): boolean {
    if (lastGood === undefined) return REASONS[reason].origin === 'request'
    notFoundInRow = reason === 'not_found' ? notFoundInRow + 1 : 0
    return notFoundInRow > MAX_NOT_FOUND_IN_ROW
  }

  async function read(signal: AbortSignal, figures?: DecodeResource<void>): Promise<readonly PoolRef[]> {
    const [first, second] = lastGood === OLDER ? [OLDER, NEWER] : [NEWER, OLDER]
    try {
      return await readList(first, signal, figures)
    } catch (failure) {
      if (!(failure instanceof ApiError) || !shouldTryOther(failure)) throw failure
      // The more specific failure is reported: the first, unless it is only a 404 before any success.
      return await readList(second, signal, figures).catch((other: unknown) => {
        throw failure.reason === 'not_found' && lastGood === undefined ? other : failure
      })
    }
  }

  return read
}

async function requestList(
  send: SendResource,
  { path, query, decode }: PoolList,
  signal: AbortSignal,
  figures?: DecodeResource<void>,
): Promise<readonly PoolRef[]> {
  const request = { operation: 'pools', path } as const
  const decodeAll: DecodeResource<readonly PoolRef[]> = (body, response) => {
    const pools = decode(body, response.baseUrl)
    if (figures !== undefined && path === NEWER.path) figures(body, response)
    return pools
  }
  try {
    return await send({ ...request, ...(query !== undefined && { query }) }, decodeAll, signal)
  } catch (failure) {
    // The parameter is documented for feeds only.
    if (query === undefined || !(failure instanceof ApiError) || failure.status !== 400) throw failure
    return await send(request, decodeAll, signal)
  }
}
