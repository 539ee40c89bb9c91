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
    '0. No figure at all means that no exporter reports: look at the exporter page.',
    'Open the exporter page: reachability over time, the reasons of failed polls and the answers by status tell network, certificate and login faults apart.',
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

/** A query a state, so that each keeps its place; one that nobody knows comes last. */
const nodesByState = stat({
  title: 'Nodes by state',
  about: [
    'Nodes of all selected systems, by their current health.',
    'All are Good; some in Maintenance while somebody works on them.',
    'Bad or Not accessible reduces the protection of the data: find the pool in the table below. Suspect often comes before Bad.',
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
    'Disks that are Bad or ready to be replaced, over all selected systems.',
    '0, or a few in a large fleet: disks fail, and the system rebuilds what was on them.',
    'The disks page lists the enclosures to walk to.',
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
    'Below the yellow mark.',
    'A fleet average hides a full pool: sort the table below by “Used”, then plan with the capacity page.',
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
    "The shortest of the storage systems' own forecasts, over all nodes: time until this share of the space is used.",
    'Months, or “no forecast”, which is what a system says when usage falls or its history is too short.',
    'The capacity page shows which pool it is and whether the trend is real; 0 means that the mark is reached.',
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
    'Alerts of this product that fire now, by severity, of the selected systems and of the exporters themselves.',
    '0 and 0. Prometheus must have loaded the rules: without them it also says 0.',
    'The table “Alerts firing now” names them; each alert has a runbook.',
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
