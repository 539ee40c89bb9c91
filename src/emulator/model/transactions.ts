import type { TRANSACTION_ERRORS } from '../../catalogue.ts'
import type { NodeState } from './node_state.ts'
import { keyOf, mix, unit } from './random.ts'
import { transactionsPerSecond } from './traffic.ts'

export type ErrorCategory = (typeof TRANSACTION_ERRORS.categories)[number]

interface ErrorTypeRow {
  readonly category: ErrorCategory
  /** Ratio of transactions that fail with it in an interval in which it occurs. */
  readonly ratio: number
  /** Ratio of intervals in which it occurs. */
  readonly frequency: number
}

/** Error types as real systems name them: the status and the protocol. */
export const ERROR_TYPES = {
  '404 (S3)': { category: 'User', ratio: 0.0015, frequency: 1 },
  '403 (S3)': { category: 'User', ratio: 0.0003, frequency: 0.9 },
  '412 (ATMOS)': { category: 'User', ratio: 0.00005, frequency: 0.25 },
  '500 (S3)': { category: 'System', ratio: 0.00003, frequency: 0.4 },
  '503 (S3)': { category: 'System', ratio: 0.00001, frequency: 0.12 },
} as const satisfies Record<string, ErrorTypeRow>
export type ErrorType = keyof typeof ERROR_TYPES

const ROWS = Object.entries(ERROR_TYPES).map(([type, row]) => ({
  type: type as ErrorType,
  key: keyOf(type),
  ...(row as ErrorTypeRow),
}))

export type TransactionCounts = ReturnType<typeof countTransactions>

/**
 * Counts over the `interval` seconds before the time of `state`. Failures by type, in the order of {@link ERROR_TYPES},
 * add up to `failed`; types that did not occur count 0.
 */
export function countTransactions(state: NodeState, interval: number) {
  const perSecond = transactionsPerSecond(state, 'read') + transactionsPerSecond(state, 'write')
  const all = Math.round(perSecond * interval)
  const byType = new Map(ROWS.map((row) => [row.type, failures(state, row, all)] as const))
  const failed = [...byType.values()].reduce((sum, count) => sum + count, 0)
  return { succeeded: all - failed, failed, byType }
}

function failures(state: NodeState, row: (typeof ROWS)[number], all: number): number {
  const factor = row.category === 'User' ? state.effects.userErrors : state.effects.systemErrors
  const key = mix(state.node.key, row.key)
  const isNormal = factor === 1
  if (isNormal && (state.node.isFaultless || unit(key, state.t) >= row.frequency)) return 0
  const ratio = Math.min(0.3, row.ratio * factor * (0.6 + 0.8 * unit(key, state.t + 1)))
  return Math.floor(all * ratio)
}
