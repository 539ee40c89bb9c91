import { type Expression, promql, select } from '../../promql/expression.ts'
import { dedup } from '../../promql/operators.ts'
import { RESOURCE_KEY, SYSTEM_KEY } from '../../settings.ts'
import { alertsAbout } from './rule.ts'
import { dashboardOf, SYSTEM } from './templates.ts'

const { warning } = alertsAbout({})

export const RUN_DOCTOR = 'run sds-exporter doctor; the log of the exporter has the reason'

const available = select('sds_resource_available')
const perResource = (vector: Expression): Expression => dedup(RESOURCE_KEY, vector)

/**
 * Resources that cannot be read, or are no longer served or allowed. Some are read every hour: the wait is longer, so
 * that a single failure does not fire.
 */
export const resourceFailing = warning('SdsResourceFailing', {
  scope: 'system',
  expr: promql`(
  ${perResource(select('sds_resource_up'))} == 0
  or
  ${perResource(available)} == 0
)
and
${perResource(promql`max_over_time(${available}[1d])`)} == 1`,
  for: '70m',
  keepFiringFor: '5m',
  summary: 'Some system data cannot be read.',
  description: `${SYSTEM}: the resource {{ $labels.resource }} cannot be read. Its values are missing from panels and alerts, or will be.`,
  advice: RUN_DOCTOR,
  dashboard: dashboardOf('exporter', SYSTEM_KEY),
})
