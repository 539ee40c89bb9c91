import { z } from 'zod'
import type { Durations } from '../../alerting/config.ts'
import { alertsOf, type RuleSources } from '../../alerting/sources.ts'
import { typeMessage } from '../values/schema_problems.ts'
import { DURATION_EXPECTED, parseDuration } from '../values/units.ts'

/** Durations of the configuration are valid for Prometheus. */
const wait = z
  .string(DURATION_EXPECTED)
  .trim()
  .refine((text) => parseDuration(text) !== undefined, DURATION_EXPECTED)

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
