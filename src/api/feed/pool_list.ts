import { ApiError } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'
import { POOL_LISTS, type PoolRef } from './pools.ts'

export type PoolList = (typeof POOL_LISTS)[number]

/**
 * A single 404 may come from a system that is starting. Switching lists needlessly can change the ids of the pools,
 * because the two lists may have different ids.
 */
const MAX_NOT_FOUND_IN_ROW = 1

/**
 * Reads the pools of a system from one of two lists: older and newer systems have only one of them. The list that
 * succeeded last is used again; the other list is tried after repeated 404, as after an upgrade.
 * @param read requests one of the lists
 */
export function createPoolList<Options extends unknown[]>(
  read: (list: PoolList, signal: AbortSignal, ...options: Options) => Promise<readonly PoolRef[]>,
): (signal: AbortSignal, ...options: Options) => Promise<readonly PoolRef[]> {
  let lastGood: PoolList | undefined
  let notFoundInRow = 0

  async function readList(list: PoolList, ...how: [AbortSignal, ...Options]): Promise<readonly PoolRef[]> {
    const pools = await read(list, ...how)
    lastGood = list
    notFoundInRow = 0
    return pools
  }

  function shouldTryOther({ reason }: ApiError): boolean {
    if (lastGood === undefined) return REASONS[reason].origin === 'request'
    notFoundInRow = reason === 'not_found' ? notFoundInRow + 1 : 0
    return notFoundInRow > MAX_NOT_FOUND_IN_ROW
  }

  return async (...how) => {
    const [newer, older] = POOL_LISTS
    const [first, second] = lastGood === older ? [older, newer] : [newer, older]
    try {
      return await readList(first, ...how)
    } catch (failure) {
      if (!(failure instanceof ApiError) || !shouldTryOther(failure)) throw failure
      // The more specific failure is reported: the first, unless it is only a 404 before any success.
      return await readList(second, ...how).catch((other: unknown) => {
        throw failure.reason === 'not_found' && lastGood === undefined ? other : failure
      })
    }
  }
}
