import type { z } from 'zod'
import { forecastTarget } from '../alerting/conditions.ts'
import type { AlertingConfig } from '../alerting/config.ts'

const SETTING = 'alerting.thresholds.forecast_target_percent'

export interface Requested {
  readonly path: readonly PropertyKey[]
  readonly forecast: { readonly schedule: string; readonly targets: readonly number[] }
}

/**
 * Adds a problem where forecasts are requested, but not with the target of alerts, dashboards and status page: none of
 * them would ever show one. Systems with the same targets have one problem.
 */
export function checkForecastTarget(
  alerting: AlertingConfig | undefined,
  requested: readonly Requested[],
  context: z.RefinementCtx,
): void {
  const target = forecastTarget(alerting)
  const known = new Set<string>()
  for (const { path, forecast } of requested) {
    const targets = forecast.targets.join(', ')
    if (forecast.schedule === '' || forecast.targets.includes(target) || known.has(targets)) continue
    known.add(targets)
    const message = `the targets (${targets}) lack ${target}, which alerts, dashboards and status page compare: add it, or set ${SETTING} to one of them`
    context.addIssue({ code: 'custom', path: [...path], message })
  }
}
