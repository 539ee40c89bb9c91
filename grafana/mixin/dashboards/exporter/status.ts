import { COLORS, PLAIN_COLORS } from '../../colors.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { age, by, dedup, perSystem } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { negative } from '../../references.ts'
import { QUERY_RESULT, REACHABLE_CELLS, upDown, upDownCells } from '../../sdk/mappings.ts'
import { type SizedPanel, type Step, steps } from '../../sdk/spec.ts'
import { stateTimeline } from '../../sdk/state_timeline.ts'
import { table } from '../../sdk/table.ts'
import { POOL_KEY, SYSTEM_KEY, THRESHOLDS } from '../../settings.ts'
import { poolTable } from '../common/pool_data.ts'
import { faults } from './faults.ts'
import { skew } from './polling.ts'

const ofExporter = (metric: MetricName): Expression => dedup(['instance'], select(metric, ...SCOPE.exporter))

/** The value of a label of the version of each exporter. */
const version = (title: string, label: string) => ({
  title,
  label,
  expr: dedup(['instance', label], select('sds_exporter_build_info', ...SCOPE.exporter)),
})

const exporters = table({
  title: 'Exporters',
  shows:
    'One row for each exporter: whether its last scrape succeeded, the result and age of the last load of its configuration, its uptime, its series, and its version.',
  normal: 'All up, with the same version, and the configuration loaded since its last change.',
  otherwise:
    'Down: the other exporter of a pair still reports; none up means that the other dashboards have no data. Refused: the previous configuration stays active, and a restart would fail; the log and “sds-exporter check” show the position in the file. A short uptime again and again is a crash loop: read the log.',
  rows: ['instance'],
  columns: [
    { title: 'Scrape', expr: ofExporter('up'), mappings: upDownCells('up', 'down', 'warning') },
    {
      title: 'Configuration',
      expr: ofExporter('sds_exporter_config_last_reload_successful'),
      mappings: upDownCells('loaded', 'refused', 'warning'),
    },
    {
      title: 'Loaded ago',
      expr: age(ofExporter('sds_exporter_config_last_reload_success_timestamp_seconds')),
      unit: 'dtdurations',
      decimals: 0,
    },
    {
      title: 'Running for',
      expr: age(ofExporter('process_start_time_seconds')),
      unit: 'dtdurations',
      decimals: 0,
    },
    { title: 'Series', expr: ofExporter('sds_exporter_series') },
  ],
  texts: [version('Version', 'version'), version('Node.js', 'node_version')],
  sortBy: 'Running for',
  ascending: true,
  noValue: 'No exporter in this time range',
  height: 5,
})

/** Both directions are bad. */
const SKEW_STEPS: readonly Step[] = [
  { value: null, color: COLORS.critical.fill },
  { value: negative(THRESHOLDS.clockSkewSeconds.critical), color: COLORS.warning.fill },
  { value: negative(THRESHOLDS.clockSkewSeconds.warning), color: PLAIN_COLORS.fill },
  { value: THRESHOLDS.clockSkewSeconds.warning, color: COLORS.warning.fill },
  { value: THRESHOLDS.clockSkewSeconds.critical, color: COLORS.critical.fill },
]

const ofSystem = (metric: MetricName): Expression => perSystem(select(metric, ...SCOPE.system))
const systemsOfDay = perSystem(promql`last_over_time(${select('sds_system_up', ...SCOPE.system)}[1d])`)

const systems = table({
  title: 'Systems',
  shows:
    "One row for each system that was reported within a day: whether any exporter got a response to its last request, the result of the last poll of the Flux API, the time until its TLS certificate expires, the storage system's clock minus the exporter's, and the number of its authentication providers.",
  normal: 'Reachable, Flux API ok or not used, a certificate of months or plain HTTP, clocks within seconds.',
  otherwise:
    'Not reachable: network, DNS or certificate, see “Failed polls by reason”. Not reported: removed from the configuration, or its exporter does not run. Renew the certificate on the storage system: polls fail once it has expired. Repair NTP on the host whose clock is wrong. Fewer providers: one was deleted.',
  rows: SYSTEM_KEY,
  columns: [
    {
      title: 'Answers',
      expr: promql`(1 - ${ofSystem('sds_system_up')}) or ${systemsOfDay} * 0 + 2`,
      mappings: REACHABLE_CELLS,
    },
    { title: 'Flux API', expr: ofSystem('sds_system_query_up'), mappings: upDownCells(...QUERY_RESULT) },
    {
      title: 'Certificate',
      expr: promql`${by('min', SYSTEM_KEY, select('sds_system_tls_not_after_timestamp_seconds', ...SCOPE.system))} - time()`,
      unit: 'dtdurations',
      decimals: 0,
      steps: steps(THRESHOLDS.certificateSeconds),
    },
    {
      title: 'Clock difference',
      expr: ofSystem('sds_system_clock_skew_seconds'),
      unit: 's',
      decimals: 0,
      steps: SKEW_STEPS,
    },
    { title: 'Providers', expr: ofSystem('sds_authn_providers') },
  ],
  sortBy: 'Answers',
  noValue: 'No system was reported within a day',
  height: 6,
})

const byPool = (metric: MetricName): Expression => by('max', POOL_KEY, select(metric, ...SCOPE.system))

const pools = poolTable({
  title: 'Pools',
  shows:
    "One row for each pool that was reported within a day: result of the last poll and why it failed, age of the last successful poll, age of the newest sample of the node that is furthest behind by the storage system's clock, nodes in the feed, and duration of the last poll.",
  normal: 'Current, last successful poll up to two minutes ago, sample age up to ten minutes.',
  otherwise:
    'Both ages increase: the exporter cannot poll. Only the sample age increases: the collector of the storage system has stopped. Not reported: the pool or its system was removed, or its exporter does not run.',
  columns: [
    { title: 'Nodes', expr: byPool('sds_pool_nodes') },
    { title: 'Poll duration', expr: byPool('sds_pool_poll_duration_seconds'), unit: 's' },
  ],
  scope: SCOPE.system,
  height: 9,
})

const systemUp = stateTimeline({
  title: 'System reachable',
  shows:
    'Whether any exporter got a response to its last request, successful or not. A gap is time without an exporter.',
  normal: 'Always reachable.',
  otherwise:
    'Not reachable on one system: network, DNS or certificate, see “Failed polls by reason”. Gaps on all systems: the exporter or Prometheus.',
  queries: [{ expr: ofSystem('sds_system_up'), legend: '{{system}}' }],
  mappings: upDown('reachable', 'not reachable'),
  noValue: 'No system in this time range',
  width: 12,
})

export const exporterStatus: readonly SizedPanel[] = [faults, exporters, systems, pools, systemUp, skew]
