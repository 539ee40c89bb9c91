import { z } from 'zod'
import type { Durations } from '../../alerting/config.ts'
import { alertsOf, type RuleSources } from '../../alerting/sources.ts'
import { typeMessage } from '../values/schema_problems.ts'
import { duration } from '../values/units.ts'

/** Units of Prometheus' durations, largest first. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const

/** 5400000 as `90m`. */
function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => ms >= one && ms % one === 0) ?? ['s', 1]
  return `${ms / size}${unit}`
}

const wait = duration.transform(durationText)

/** The keys that name alerts. */
export function alertsKeys(sources: RuleSources) {
  const alerts = alertsOf(sources)
  const names = [...new Set(alerts.map(({ alert }) => alert))]
  const keys = names.map((name) => {
    const severities = alerts.filter(({ alert }) => alert === name).map(({ severity }) => severity)
    return [name, waits(severities).optional()]
  })
  const shape = Object.fromEntries(keys) as Record<string, z.ZodOptional<ReturnType<typeof waits>>>
  const durations = z
    .strictObject(shape, typeMessage('expected durations by names of alerts'))
    .transform((file) => defined<Durations[string]>(file))
    .prefault({})
  return {
    for: durations,
    keep_firing_for: durations,
    disabled: z
      .array(z.enum(names, 'there is no alert of this name'), 'expected a list of names of alerts')
      .prefault([]),
  }
}

/** One duration for all severities of an alert, or durations by severity. */
function waits(severities: readonly string[]) {
  const shape = Object.fromEntries(severities.map((severity) => [severity, wait.optional()]))
  const bySeverity = z
    .strictObject(shape, typeMessage(`expected durations for ${severities.join(', ')}`))
    .transform((file) => defined<string>(file))
  const forAll = wait.transform((text) => Object.fromEntries(severities.map((severity) => [severity, text])))
  return z.union([forAll, bySeverity])
}

function defined<Value>(file: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const entries = Object.entries(file).filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}
