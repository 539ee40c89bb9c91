import { toPage } from '../../grafana/links.ts'
import { HEALTH_COUNTS, REACHED_MAPPING } from '../../grafana/mappings.ts'
import { type SizedPanel, steps, ZERO_IS_GOOD } from '../../grafana/spec.ts'
import { gauge, stat } from '../../grafana/stat.ts'
import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { perForecast, usedRatio } from '../../promql/nodes.ts'
import { perNodeAnd, perSystem, sum, sumBy } from '../../promql/operators.ts'
import { firingAlerts, SCOPE } from '../../promql/scope.ts'
import { HEALTH, LIMITS, THRESHOLDS } from '../../settings.ts'
import { DISKS_TO_FIX, TARGET } from './queries.ts'

const systemsDown = stat({
  title: 'Systems not answering',
  about: [
    'Systems that no exporter could reach with its last request.',
    '0. No value means that no exporter reports: see the exporter dashboard.',
    'Open the exporter dashboard: “System reachable”, “Failed polls by reason” and “Answers by status” show whether it is the network, the certificate or the login.',
  ],
  queries: [{ expr: sum(promql`1 - ${perSystem(select('sds_system_up', ...SCOPE.system))}`) }],
  unit: 'none',
  steps: ZERO_IS_GOOD,
  links: [toPage('Exporter', 'exporter')],
  width: 4,
})

const HEALTH_STATES = Object.keys(HEALTH)

const inState = (matcher: Matcher): Expression =>
  perNodeAnd('status', select('sds_node_health_status', ...SCOPE.system, matcher))

/** One query per status, so that the order is constant; unknown statuses come last. */
const nodesByState = stat({
  title: 'Nodes by state',
  about: [
    'Nodes of all selected systems, by their current health.',
    'All Good, or some in Maintenance during planned work.',
    'Bad or Not accessible reduces the protection of the data: find the pool in the table below. Suspect often precedes Bad.',
  ],
  queries: [
    ...HEALTH_STATES.map((status) => ({ expr: sum(inState(`status="${status}"`)), legend: status })),
    { expr: sumBy(['status'], inState(`status!~"${HEALTH_STATES.join('|')}"`)), legend: '{{status}}' },
  ],
  unit: 'none',
  overrides: HEALTH_COUNTS,
  links: [toPage('Pool', 'pool')],
  width: 8,
})

const disksToFix = stat({
  title: 'Disks needing attention',
  about: [
    'Disks that are Bad or ready to replace, over all selected systems.',
    '0, or a few in a large fleet. The system rebuilds the data of failed disks.',
    'The disks dashboard lists the nodes.',
  ],
  queries: [
    { expr: sum(perNodeAnd('status', select('sds_node_disks_by_status', ...SCOPE.system, DISKS_TO_FIX))) },
  ],
  unit: 'none',
  steps: steps(THRESHOLDS.disksNotGood),
  links: [toPage('Disks', 'disks')],
  width: 3,
})

const spaceUsed = gauge({
  title: 'Fleet space used',
  about: [
    'Allocated relative to usable space, summed over all selected systems before dividing; only nodes that serve both count.',
    'Below the warning threshold.',
    'One pool may be full although the fleet is not: sort the table below by “Used”, then plan with the capacity dashboard.',
  ],
  queries: [{ expr: usedRatio(sum, SCOPE.system) }],
  unit: 'percentunit',
  steps: steps(THRESHOLDS.usedRatio),
  links: [toPage('Capacity', 'capacity')],
  width: 3,
})

const soonestForecast = stat({
  title: `Time to ${LIMITS.forecastTargetPercent} % full`,
  about: [
    "The shortest of the storage systems' own forecasts over all nodes: time until this share of the space is used.",
    'Months, or “no forecast” when usage decreases or the history of the system is too short.',
    'The capacity dashboard shows which pool it is and whether the trend is steady. 0 means that the target is reached.',
  ],
  queries: [
    {
      expr: promql`min(${perForecast(select('sds_node_capacity_forecast_seconds', ...SCOPE.system, TARGET))})`,
    },
  ],
  unit: 'dtdurations',
  decimals: 0,
  mappings: [REACHED_MAPPING],
  steps: steps(THRESHOLDS.forecastSeconds),
  noValue: 'no forecast',
  links: [toPage('Capacity', 'capacity')],
  width: 3,
})

const alertCounts = stat({
  title: 'Firing alerts',
  about: [
    'Firing alerts about the selected systems and the exporters, by severity.',
    '0 and 0. Also 0 when Prometheus has not loaded the rules.',
    'The table “Alerts firing now” lists them. Each alert has a runbook.',
  ],
  queries: ['critical', 'warning'].map((severity) => ({
    expr: promql`count(${firingAlerts(`severity="${severity}"`)}) or vector(0)`,
    legend: severity,
  })),
  unit: 'none',
  steps: ZERO_IS_GOOD,
  width: 3,
})

export const status: readonly SizedPanel[] = [
  systemsDown,
  nodesByState,
  disksToFix,
  spaceUsed,
  soonestForecast,
  alertCounts,
]
