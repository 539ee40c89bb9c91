import type { Condition, Conditions } from '../alerting/conditions.ts'
import type { Comparison, FindingName, ValueName } from '../alerting/sources.ts'
import type { Failure } from '../state/state.ts'
import { counted, namesText } from '../text.ts'
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
export type Finding = Omit<Problem, 'system' | 'pool' | 'pool_id'>

export function warning(text: string, remedy: string, summary = text): Finding {
  return { severity: 'warning', text, summary, remedy, alert: null, timestamp_seconds: null }
}

export function failed(error: ErrorStatus, alert: string, prefix = ''): Finding {
  const { message, remedy, timestamp_seconds } = error
  return { ...warning(`${prefix}${message}`, remedy), severity: 'critical', alert, timestamp_seconds }
}

const SEVERITIES: Readonly<Record<string, Problem['severity']>> = { critical: 'critical', info: 'notice' }

function findingOf({ alert, severity, advice }: Condition, text: string, summary: string): Finding {
  return { ...warning(text, advice, summary), severity: SEVERITIES[severity] ?? 'warning', alert }
}

type Value = number | null | undefined

const OPERATORS: Readonly<Record<Comparison[1], (value: number, limit: number) => boolean>> = {
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
}

/** The worst alert of a finding whose condition holds. A value that is not known fulfils none. */
function worstHolding(
  conditions: Conditions,
  finding: FindingName,
  read: (name: string) => Value,
): Condition | undefined {
  return conditions.of(finding).find(({ when }) =>
    when.every(([name, operator, limit]) => {
      const value = read(name) ?? undefined
      return value !== undefined && OPERATORS[operator](value, Number(limit))
    }),
  )
}

type FindingValues<Name extends FindingName> = Readonly<Record<ValueName<Name>, Value>>

export function firstHolding<Name extends FindingName>(
  conditions: Conditions,
  finding: Name,
  values: FindingValues<Name>,
): Condition | undefined {
  const known: Readonly<Record<string, Value>> = values
  return worstHolding(conditions, finding, (name) => known[name])
}

/** The finding of the worst alert whose condition holds; undefined without one. */
export function found<Name extends FindingName>(
  conditions: Conditions,
  finding: Name,
  values: FindingValues<Name>,
  text: string,
  summary = text,
): Finding | undefined {
  const condition = firstHolding(conditions, finding, values)
  return condition && findingOf(condition, text, summary)
}

/** What the first comparison of a condition compares with. */
export const limitOf = ({ when }: Condition): number => Number(when[0]?.[2])

export interface FindingPart {
  readonly name: string
  readonly value: Value
}

/** Words for parts above a limit. */
interface PartWords {
  readonly noun: string
  readonly above: (limit: string) => string
  readonly textOf: (value: number) => string
}

/** One finding for each alert, with the parts of which no worse alert holds. The conditions compare one value. */
export function partFindings(
  conditions: Conditions,
  finding: FindingName,
  parts: readonly FindingPart[],
  { noun, above, textOf }: PartWords,
): Finding[] {
  const judged = parts.map((part) => ({
    ...part,
    condition: worstHolding(conditions, finding, () => part.value),
  }))
  return conditions.of(finding).flatMap((condition) => {
    const list = judged.filter((part) => part.condition === condition)
    if (list.length === 0) return []
    const short = `${counted(list.length, noun)} ${above(textOf(limitOf(condition)))}`
    const names = namesText(list, ({ name, value }) => `${name} (${textOf(value ?? 0)})`)
    return findingOf(condition, `${short}: ${names}`, short)
  })
}

interface Placed {
  readonly alert: string | null
  readonly pool_id?: string | null
}

/** Those that no other one is the cause of, by the inhibition rules. */
export function withoutConsequences<One extends Placed>(
  all: readonly One[],
  { inhibitions }: Conditions,
): One[] {
  const isCause = (source: readonly string[], equal: readonly string[], of: Placed) =>
    all.some(
      ({ alert, pool_id }) =>
        alert !== null && source.includes(alert) && (!equal.includes('pool') || pool_id === of.pool_id),
    )
  return all.filter(
    (one) =>
      !inhibitions.some(
        ({ source, target, equal }) =>
          one.alert !== null && target.includes(one.alert) && isCause(source, equal, one),
      ),
  )
}
