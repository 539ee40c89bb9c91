import type { AlertingConfig, Subject, Tuning } from './config.ts'
import { defaultsOf, type PackagedRules } from './package_files.ts'
import type { Values } from './references.ts'
import { alertsOf } from './sources.ts'

/**
 * Quantile of the latency of requests that is compared with thresholds of the mean, for systems that serve a histogram
 * and no mean. Latencies are skewed to the right: the mean of an exponential distribution is its quantile 0.63, the mean
 * of a log-normal one with sigma 1.5 its quantile 0.77.
 */
export const LATENCY_QUANTILE = 0.75

/** Default of the setting `forecastTargetPercent`. */
export const DEFAULT_FORECAST_TARGET = 90

/** The target of forecasts that is compared, in percent, without reading the rules. */
export const forecastTarget = (config: AlertingConfig | undefined): number =>
  Number(config?.values['forecastTargetPercent'] ?? DEFAULT_FORECAST_TARGET)

/** The forecast of a pool is the median of its nodes. If less than this share of them have one, the pool has none. */
export const FORECAST_MIN_SHARE = 0.5

/** A condition with the settings of a system or pool, and the severity of its alert. */
export type Condition = NonNullable<ReturnType<Conditions['condition']>>

export type Conditions = ReturnType<typeof createConditions>

/** Subjects without settings of their own share one object; later calls return the same objects. */
export function conditionsOf(
  rules: PackagedRules,
  config: AlertingConfig | undefined,
): (subject: Subject) => Conditions {
  const defaults = defaultsOf(rules)
  const severities = new Map(alertsOf(rules.sources).map(({ alert, severity }) => [alert, severity]))
  const common = config === undefined ? [] : [config]
  const conditionsWith = (own: readonly Tuning[]) =>
    createConditions(rules, defaults, severities, [...common, ...own])
  const shared = conditionsWith([])
  const known = new Map<string, Conditions>()
  return (subject) => {
    const own = overridesOf(config, subject)
    if (own.length === 0) return shared
    const key = JSON.stringify([subject.system, subject.pool])
    const conditions = known.get(key) ?? conditionsWith(own)
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
  { conditions, causes }: PackagedRules,
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
    /** Undefined if the alert is disabled. @throws for an alert without a condition */
    condition(alert: string) {
      const [severity, row] = [severities.get(alert), conditions[alert]]
      if (severity === undefined || row === undefined) throw new Error(`there is no condition ${alert}`)
      if (disabled.has(alert)) return undefined
      const { limit, advice } = row
      return { alert, severity, limit: typeof limit === 'number' ? limit : setting(limit), advice }
    },
    /** The alerts that cause an alert. */
    causesOf: (alert: string): readonly string[] => causes[alert] ?? [],
    setting,
  }
}
