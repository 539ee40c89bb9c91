import type { Condition, Conditions } from '../alerting/conditions.ts'
import type { Failure } from '../state/state.ts'
import type { Problem } from './states.ts'

export interface FindingContext {
  readonly conditions: Conditions
  /** Seconds since the epoch. */
  readonly now: number
}

export type ErrorStatus = NonNullable<ReturnType<typeof errorStatus>>

export function errorStatus(failure: Failure | undefined) {
  if (failure === undefined) return null
  const { reason, message, remedy, at } = failure
  return { reason, message, remedy, timestamp_seconds: at }
}

/** Something that needs attention, wherever it is. */
export interface Finding extends Omit<Problem, 'system' | 'pool' | 'pool_id'> {
  /** For the summary of a pool; empty if it is there already. */
  readonly short: string
}

/** A finding without an alert. */
export function warning(text: string, remedy: string, short = text): Finding {
  return { severity: 'warning', text, short, remedy, alert: null, timestamp_seconds: null }
}

export function failed(error: ErrorStatus, alert: string, prefix = ''): Finding {
  const { message, remedy, timestamp_seconds } = error
  return { severity: 'bad', text: `${prefix}${message}`, short: '', remedy, alert, timestamp_seconds }
}

const SEVERITIES: Readonly<Record<string, Problem['severity']>> = { critical: 'bad', info: 'notice' }

/** The finding of an alert; undefined without a condition. */
export function found(condition: Condition | undefined, text: string, short = text): Finding | undefined {
  if (condition === undefined) return undefined
  const { alert, severity, advice: remedy } = condition
  return { severity: SEVERITIES[severity] ?? 'warning', text, short, remedy, alert, timestamp_seconds: null }
}

type Check = readonly [alert: string, holds: (limit: number) => boolean]

/** The first condition that holds, of which no alert is disabled. */
export function firstHolding(conditions: Conditions, checks: readonly Check[]): Condition | undefined {
  for (const [alert, holds] of checks) {
    const condition = conditions.condition(alert)
    if (condition !== undefined && holds(condition.limit)) return condition
  }
  return undefined
}

export function firstExceeded(
  conditions: Conditions,
  value: number | null | undefined,
  ...alerts: readonly string[]
): Condition | undefined {
  const checks = alerts.map((alert): Check => [alert, (limit) => (value ?? Number.NEGATIVE_INFINITY) > limit])
  return firstHolding(conditions, checks)
}
