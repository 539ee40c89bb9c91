import { ApiError } from './errors.ts'
import { POOL_LISTS, type PoolRef } from './pools.ts'
import type { Reason } from './reasons.ts'

export type PoolList = (typeof POOL_LISTS)[number]

/** The list is not there, or something else is in its place. */
const NO_SUCH_LIST: readonly Reason[] = ['not_found', 'client_error', 'schema']

/**
 * The pools of a system, from the list that it knows: older and newer systems have only one of the two. The one that
 * was good once is not doubted later.
 * @param read asks for one of the lists
 */
export function createPoolList(
  read: (list: PoolList, signal: AbortSignal) => Promise<readonly PoolRef[]>,
): (signal: AbortSignal) => Promise<readonly PoolRef[]> {
  let known: PoolList | undefined

  async function tryOut(list: PoolList, signal: AbortSignal): Promise<readonly PoolRef[]> {
    const pools = await read(list, signal)
    known = list
    return pools
  }

  return async (signal) => {
    if (known !== undefined) return read(known, signal)
    const [first, second] = POOL_LISTS
    try {
      return await tryOut(first, signal)
    } catch (failure) {
      if (!(failure instanceof ApiError) || !NO_SUCH_LIST.includes(failure.reason)) throw failure
      // A list that is there, but of no use, says more than what became of the other one.
      return await tryOut(second, signal).catch((other: unknown) => {
        throw failure.reason === 'not_found' ? other : failure
      })
    }
  }
}
