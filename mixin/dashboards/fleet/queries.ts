import type { Matcher } from '../../promql/expression.ts'
import { LIMITS } from '../../settings.ts'

/** What a person has to do something about; disks in maintenance are in somebody's hands. */
export const DISKS_TO_FIX = 'status=~"Bad|ReadyToReplace"'

export const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`
