import type { SystemConfig } from '../config/config.ts'
import { pollPeriodMs } from './period.ts'

/** Pause after a failure that may be over by then; the schedule may come earlier. */
export const RETRY_MS = 600_000

/** Values are kept for so many intervals of their schedule. */
const INTERVALS_KEPT = 3

/** Age limit of what is read on a schedule: three intervals, or `poll.stale_after` if that is longer. */
export function keepForMs({ poll }: Pick<SystemConfig, 'poll'>, schedule: string): number {
  if (schedule === '') return poll.staleAfterMs
  return Math.max(INTERVALS_KEPT * pollPeriodMs(schedule), poll.staleAfterMs)
}
