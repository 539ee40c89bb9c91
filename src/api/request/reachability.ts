import type { ApiError } from '../errors/errors.ts'
import type { Reason } from '../errors/reasons.ts'
import type { Operation } from './exchanges.ts'

/** The system did answer, though not with anything of use. */
const WITH_ANSWER: readonly Reason[] = ['too_large', 'encoding', 'html', 'syntax', 'schema']
/** Nothing came. Other failures, such as a login that waits for its turn, say nothing of the system. */
const WITHOUT_ANSWER: readonly Reason[] = ['timeout', 'connect', 'dns', 'tls', 'reset']
/** The operations by whose silence a system counts as down: one slow extra is no dead system. */
const TELLING: readonly Operation[] = ['nodes', 'pools']

/** Whether nothing came of the system. */
export function isSilence({ status, reason }: ApiError): boolean {
  return status === undefined && WITHOUT_ANSWER.includes(reason)
}

/** Makes out of the operations of a system whether it answers at all. */
export interface Reachability {
  noteAnswer(): void
  /** @param began when the operation began, on the clock of `performance.now()` */
  noteFailure(failure: ApiError, operation: Operation, began: number): void
}

/** @param tell whether the system answered, whatever the answer */
export function createReachability(tell: (answered: boolean) => void): Reachability {
  let answeredAt = Number.NEGATIVE_INFINITY

  function noteAnswer(): void {
    answeredAt = performance.now()
    tell(true)
  }

  return {
    noteAnswer,
    noteFailure(failure, operation, began) {
      if (failure.status !== undefined || WITH_ANSWER.includes(failure.reason)) return noteAnswer()
      // A system that answered somebody else meanwhile is there.
      if (TELLING.includes(operation) && isSilence(failure) && answeredAt < began) tell(false)
    },
  }
}
