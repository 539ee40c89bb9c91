import type { TRANSACTION_ERRORS } from '../../catalogue.ts'
import type { Moment } from './moment.ts'
import { keyOf, mix, unit } from './random.ts'
import { transactionsPerSecond } from './traffic.ts'

export type ErrorCategory = (typeof TRANSACTION_ERRORS.categories)[number]

interface ErrorTypeRow {
  readonly category: ErrorCategory
  /** Share of transactions that fail with it in an interval in which it occurs. */
  readonly share: number
  /** Share of intervals in which it occurs at all. */
  readonly occurs: number
}

/** Types of errors as real systems name them: the status and the protocol. */
export const ERROR_TYPES = {
  '404 (S3)': { category: 'User', share: 0.0015, occurs: 1 },
  '403 (S3)': { category: 'User', share: 0.0003, occurs: 0.9 },
  '412 (ATMOS)': { category: 'User', share: 0.00005, occurs: 0.25 },
  '500 (S3)': { category: 'System', share: 0.00003, occurs: 0.4 },
  '503 (S3)': { category: 'System', share: 0.00001, occurs: 0.12 },
} as const satisfies Record<string, ErrorTypeRow>
export type ErrorType = keyof typeof ERROR_TYPES

const ROWS = Object.entries(ERROR_TYPES).map(([type, row]) => ({
  type: type as ErrorType,
  key: keyOf(type),
  ...(row as ErrorTypeRow),
}))

/** What became of the transactions of one interval that ended at the moment. */
export interface TransactionCounts {
  readonly succeeded: number
  readonly failed: number
  /** Failures by type, in the order of {@link ERROR_TYPES}; types that did not occur count 0. */
  readonly byType: ReadonlyMap<ErrorType, number>
}

/** Counts over the `interval` seconds before the moment; failures by type add up to all failures. */
export function countTransactions(moment: Moment, interval: number): TransactionCounts {
  const perSecond = transactionsPerSecond(moment, 'read') + transactionsPerSecond(moment, 'write')
  const all = Math.round(perSecond * interval)
  const byType = new Map(ROWS.map((row) => [row.type, failures(moment, row, all)] as const))
  const failed = [...byType.values()].reduce((sum, count) => sum + count, 0)
  return { succeeded: all - failed, failed, byType }
}

function failures(moment: Moment, row: (typeof ROWS)[number], all: number): number {
  const factor = row.category === 'User' ? moment.effects.userErrors : moment.effects.systemErrors
  const key = mix(moment.node.key, row.key)
  const calm = factor === 1
  if (calm && unit(key, moment.t) >= row.occurs) return 0
  const share = Math.min(0.3, row.share * factor * (0.6 + 0.8 * unit(key, moment.t + 1)))
  return Math.floor(all * share)
}
