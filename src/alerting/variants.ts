import { isDeepStrictEqual } from 'node:util'
import type { AlertingConfig, Override, Subject, Tuning } from './config.ts'
import { resolve, type Values } from './references.ts'
import { type AlertSource, scopeOf } from './sources.ts'

/** An alert with settings, and the systems and pools for which it has them. */
export interface Variant {
  readonly alert: AlertSource
  /** Undefined: everything. */
  readonly only: Subject | undefined
  readonly except: readonly Subject[]
}

/** Settings of a subject, and those of its parts that may differ. An undefined alert is disabled. */
interface Branch {
  readonly subject: Subject | undefined
  readonly alert: AlertSource | undefined
  readonly parts: readonly Branch[]
}

/** One variant for everything, and one for each system and pool that has other settings, unless it is disabled there. */
export function variantsOf(alert: AlertSource, defaults: Values, config: AlertingConfig): Variant[] {
  const whole: Branch = {
    subject: undefined,
    alert: tuned(alert, defaults, [config]),
    parts: scopeOf(alert) === 'all' ? [] : systemBranches(alert, defaults, config),
  }
  return flattened(withoutEqualParts(whole))
}

function systemBranches(alert: AlertSource, defaults: Values, config: AlertingConfig): Branch[] {
  const names = [...new Set(config.overrides.map(({ system }) => system))]
  return names.map((system) => {
    const own = config.overrides.filter((override) => override.system === system)
    const tunings = [config, ...own.filter(({ pool }) => pool === undefined)]
    const pools = scopeOf(alert) === 'pool' ? own.filter(({ pool }) => pool !== undefined) : []
    return {
      subject: { system },
      alert: tuned(alert, defaults, tunings),
      parts: pools.map((override) => poolBranch(alert, defaults, tunings, override)),
    }
  })
}

function poolBranch(
  alert: AlertSource,
  defaults: Values,
  tunings: readonly Tuning[],
  override: Override,
): Branch {
  const { system, pool } = override
  return { subject: { system, pool }, alert: tuned(alert, defaults, [...tunings, override]), parts: [] }
}

/** The alert with settings, of which later ones have precedence; undefined if it is disabled. */
function tuned(alert: AlertSource, defaults: Values, tunings: readonly Tuning[]): AlertSource | undefined {
  if (tunings.some(({ disabled }) => disabled.includes(alert.alert))) return undefined
  const values = Object.assign({}, defaults, ...tunings.map((tuning) => tuning.values)) as Values
  const last = (key: 'for' | 'keepFiringFor'): string | undefined =>
    tunings.map((tuning) => tuning[key][alert.alert]?.[alert.severity]).findLast((text) => text !== undefined)
  const [wait, keep] = [last('for'), last('keepFiringFor')]
  return {
    ...resolve(alert, values),
    ...(wait !== undefined && { for: wait }),
    ...(keep !== undefined && { keepFiringFor: keep }),
  }
}

/** Replaces parts with the same alert as the whole by their own parts. */
function withoutEqualParts({ subject, alert, parts }: Branch): Branch {
  const kept = parts.map(withoutEqualParts).flatMap((part) => {
    return isDeepStrictEqual(part.alert, alert) ? part.parts : [part]
  })
  return { subject, alert, parts: kept }
}

function flattened({ subject, alert, parts }: Branch): Variant[] {
  const except = parts.flatMap((part) => part.subject ?? [])
  const own = alert === undefined ? [] : [{ alert, only: subject, except }]
  return [...own, ...parts.flatMap(flattened)]
}
