import type { AlertingConfig, Subject, Tuning } from '../config.ts'
import { defaultsOf, type PackagedRules } from '../package_files.ts'
import type { Values } from '../references.ts'
import { alertsOf } from '../sources.ts'
import { CONDITIONS, type ConditionName } from './table.ts'

/** A condition with the settings of a system or pool, and the severity of its alert. */
export type Condition = NonNullable<ReturnType<Conditions['condition']>>

export type Conditions = ReturnType<typeof createConditions>

/**
 * The conditions of each system and pool with the settings of a configuration. Subjects without settings of their own
 * share one object, and later calls for a subject return the same object.
 */
export function conditionsOf(
  rules: PackagedRules,
  config: AlertingConfig | undefined,
): (subject: Subject) => Conditions {
  const defaults = defaultsOf(rules)
  const severities = new Map(alertsOf(rules.sources).map(({ alert, severity }) => [alert, severity]))
  const common = config === undefined ? [] : [config]
  const shared = createConditions(defaults, severities, common)
  const known = new Map<string, Conditions>()
  return (subject) => {
    const own = overridesOf(config, subject)
    if (own.length === 0) return shared
    const key = JSON.stringify([subject.system, subject.pool])
    const conditions = known.get(key) ?? createConditions(defaults, severities, [...common, ...own])
    known.set(key, conditions)
    return conditions
  }
}

/** The overrides of the system, then those of the pool. */
function overridesOf(config: AlertingConfig | undefined, { system, pool }: Subject): readonly Tuning[] {
  const own = (config?.overrides ?? []).filter((override) => override.system === system)
  const ofSystem = own.filter((override) => override.pool === undefined)
  return pool === undefined ? ofSystem : [...ofSystem, ...own.filter((override) => override.pool === pool)]
}

/** @param tunings later ones have precedence */
function createConditions(
  defaults: Values,
  severities: ReadonlyMap<string, string>,
  tunings: readonly Tuning[],
) {
  const values: Values = Object.assign({}, defaults, ...tunings.map((tuning) => tuning.values))
  const disabled = new Set(tunings.flatMap((tuning) => tuning.disabled))
  const setting = (path: string): number => {
    const value = values[path]
    if (typeof value !== 'number') throw new Error(`there is no setting ${path}`)
    return value
  }
  return {
    /** Undefined if the alert is disabled. */
    condition(alert: ConditionName) {
      const severity = severities.get(alert)
      if (severity === undefined || disabled.has(alert)) return undefined
      const { limit, advice } = CONDITIONS[alert]
      return { alert, severity, limit: typeof limit === 'number' ? limit : setting(limit), advice }
    },
    setting,
  }
}
