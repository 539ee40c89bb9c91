import type { Period } from '../../api/history/series.ts'
import type { PerformanceSource } from '../../config/config.ts'

export interface QueryPlanOptions {
  /** `query`: all figures that the query interface has; else only those that the feed lacks. */
  readonly source: PerformanceSource
  readonly period: Period
  /** Root URL of Prometheus whose gaps are filled; undefined: the whole period is read. */
  readonly prometheus: string | undefined
  readonly labels: Readonly<Record<string, string>>
  readonly nowSeconds: number
  readonly signal: AbortSignal
}
