import type { Matcher } from '../../promql/expression.ts'
import { LIMITS } from '../../settings.ts'

/** Disks in maintenance need no action. */
export const DISKS_TO_FIX = 'status=~"Bad|ReadyToReplace"'

export const TARGET: Matcher = `target_percent="${LIMITS.forecastTargetPercent}"`
