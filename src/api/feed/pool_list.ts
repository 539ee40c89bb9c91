import { ApiError } from '../errors/errors.ts'
import { REASONS } from '../errors/reasons.ts'
import { POOL_LISTS, type PoolRef } from './pools.ts'

export type PoolList = (typeof POOL_LISTS)[number]

/** Once it may be the front of a system that boots; the two lists may know the pools by other ids. */
const ABSENCES_ALLOWED = 1

/**
 * The pools of a system, from the list that it knows: older and newer systems have only one of the two. The one that
 * was good once is doubted only when it stays away, as after an upgrade.
 * @param read asks for one of the lists
 */
export function createPoolList(
  read: (list: PoolList, signal: AbortSignal) => Promise<readonly PoolRef[]>,
): (signal: AbortSignal) => Promise<readonly PoolRef[]> {
  let known: PoolList | undefined
  let absences = 0

  async function tryOut(list: PoolList, signal: AbortSignal): Promise<readonly PoolRef[]> {
    const pools = await read(list, signal)
    known = list
    absences = 0
    return pools
  }

  /** Whether the other list is worth a try. */
  function isElsewhere({ reason }: ApiError): boolean {
    if (known === undefined) return REASONS[reason].origin === 'request'
    absences = reason === 'not_found' ? absences + 1 : 0
    return absences > ABSENCES_ALLOWED
  }

  return async (signal) => {
    const [newer, older] = POOL_LISTS
    const [first, second] = known === older ? [older, newer] : [newer, older]
    try {
      return await tryOut(first, signal)
    } catch (failure) {
      if (!(failure instanceof ApiError) || !isElsewhere(failure)) throw failure
      // A list that is there, but of no use, says more than what became of the other one.
      return await tryOut(second, signal).catch((other: unknown) => {
        throw failure.reason === 'not_found' && known === undefined ? other : failure
      })
    }
  }
}
