import type { Part } from '../periods.ts'
import type { HistorySeries } from '../series.ts'
import type { SpooledSeries } from './spool.ts'

/** Where samples go. */
export interface Destination {
  /** @param saved what an earlier run has saved of this part */
  begin(part: Part, saved: readonly SpooledSeries[]): Promise<void>
  /** Takes the series of one window, whole or not at all. */
  write(series: Iterable<HistorySeries>, signal: AbortSignal): Promise<void>
  /** Whether {@link save} is due. */
  readonly isFull: boolean
  /** After it, what was written survives the end of the process. */
  save(): Promise<readonly SpooledSeries[]>
  /**
   * Makes the result of the part. What was saved stays until {@link discard}.
   * @param isOrdered whether the samples of each series were written in the order of their times
   */
  finish(part: Part, isOrdered: boolean): Promise<void>
  /** Removes what was saved of a part that is complete and recorded as such. */
  discard(): Promise<void>
}
