import type { ApiError } from '../../api/errors/errors.ts'
import type { Log } from '../../log.ts'
import type { OwnMetrics } from '../../metrics/own.ts'
import { logPoll, type PollSize } from './fields.ts'

/** Counts and logs what happens with the query interface. */
export interface QueryLog {
  /** A poll of the query interface; `empty`: it has no current data. */
  queried(outcome: 'ok' | 'empty' | ApiError, poll: PollSize): void
  /** One query failed while others succeeded. */
  queryFailed(query: string, failure: ApiError): void
  /** One query has no data while others have. */
  queryEmpty(query: string): void
  /** Rows of nodes that are in no feed. */
  unmatched(rows: number): void
}

/** Logs a failure when its reason is new since the last success, and the first success after failures. */
export interface ChangeLog {
  /** @param poolId undefined for what is of the whole system */
  note(subject: string, poolId: string | undefined, failure: ApiError | undefined): void
}

/** Runs an action at the first time of its key only. */
export type Once = (key: string, action: () => void) => void

interface QueryLogOptions {
  readonly log: Log
  readonly own: Pick<OwnMetrics, 'queryPoll' | 'unmatchedRows'>
  readonly system: string
  readonly changes: ChangeLog
  readonly once: Once
}

export function createQueryLog({ log, own, system, changes, once }: QueryLogOptions): QueryLog {
  return {
    queried(outcome, poll) {
      const failure = typeof outcome === 'string' ? undefined : outcome
      const result = typeof outcome === 'string' ? outcome : outcome.reason
      own.queryPoll(system, result)
      logPoll(log, 'poll of the query interface', poll, () => ({ system, outcome: result }))
      changes.note('query interface', undefined, failure)
      if (outcome === 'empty')
        once('empty', () => log.info('the query interface has no current data', { system }))
    },
    queryFailed(query, { reason, message: error }) {
      const message = 'a query failed: its values are missing'
      once(`${query} ${reason}`, () => log.warn(message, { system, query, reason, error }))
    },
    queryEmpty(query) {
      once(`${query} empty`, () => log.info('a query has no data', { system, query }))
    },
    unmatched(rows) {
      own.unmatchedRows(system, rows)
      if (rows === 0) return
      const message = 'rows of the query interface are of nodes that no polled pool has'
      once('unmatched', () => log.warn(message, { system, rows }))
    },
  }
}
