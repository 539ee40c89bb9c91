import { negative } from '../../../src/alerting/references.ts'
import { rowToPool } from '../../grafana/links.ts'
import { upDown } from '../../grafana/mappings.ts'
import { type PanelSpec, type SizedPanel, steps } from '../../grafana/spec.ts'
import { stat } from '../../grafana/stat.ts'
import { stateTimeline } from '../../grafana/state_timeline.ts'
import { table } from '../../grafana/table.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { sampleAge } from '../../promql/nodes.ts'
import { age, by, perPolledPool, perSystem, sum } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { POOL_KEY, THRESHOLDS } from '../../settings.ts'

const exportersUp = stat({
  title: 'Exporters up',
  about: [
    'Exporters whose last scrape succeeded, and all exporters.',
    'Both values are equal.',
    'One of a pair down: the other still reports. None up: the other dashboards show old values and then no data.',
  ],
  queries: [
    { expr: sum(select('up', ...SCOPE.exporter)), legend: 'Up' },
    { expr: promql`count(${select('up', ...SCOPE.exporter)})`, legend: 'All' },
  ],
  unit: 'none',
  steps: [
    { value: null, color: 'red' },
    { value: 1, color: 'green' },
  ],
  width: 6,
})

const configuration = stat({
  title: 'Configuration',
  about: [
    'Result of the last load of the configuration; “refused” if one exporter refused it.',
    'Loaded.',
    'Refused: the previous configuration stays active, and a restart would fail. The log and “sds-exporter check” show the position in the file.',
  ],
  queries: [
    { expr: promql`min(${select('sds_exporter_config_last_reload_successful', ...SCOPE.exporter)})` },
  ],
  unit: 'none',
  mappings: upDown('loaded', 'refused'),
  background: true,
  width: 4,
})

const configurationAge = stat({
  title: 'Configuration age',
  about: [
    'Time since the last load of the configuration, of the exporter with the oldest one.',
    'The time since the last change or restart.',
    'Older than the last change: the exporter did not receive the reload.',
  ],
  queries: [
    {
      expr: age(
        promql`min(${select('sds_exporter_config_last_reload_success_timestamp_seconds', ...SCOPE.exporter)})`,
      ),
    },
  ],
  unit: 'dtdurations',
  decimals: 0,
  width: 4,
})

const certificate: PanelSpec = {
  title: 'Upstream certificate expires in',
  about: [
    'Time until the TLS certificate of each storage system expires.',
    'Months.',
    'Renew the certificate on the storage system. Polls fail once it has expired. Negative values are expired certificates.',
  ],
  queries: [
    {
      expr: promql`${perSystem(select('sds_system_tls_not_after_timestamp_seconds', ...SCOPE.system))} - time()`,
      legend: '{{system}}',
    },
  ],
  unit: 'dtdurations',
  decimals: 0,
  steps: steps(THRESHOLDS.certificateSeconds),
  noValue: 'no TLS',
  width: 5,
}

const skew: PanelSpec = {
  title: 'Clock difference now',
  about: [
    "The storage system's clock minus the exporter's, of each system, to the second.",
    'A few seconds.',
    'Repair NTP on the host whose clock is wrong. Ages of samples are corrected by the difference, timestamps of samples are not.',
  ],
  queries: [
    { expr: perSystem(select('sds_system_clock_skew_seconds', ...SCOPE.system)), legend: '{{system}}' },
  ],
  unit: 's',
  decimals: 0,
  steps: [
    { value: null, color: 'red' },
    { value: negative(THRESHOLDS.clockSkewSeconds.warning), color: 'green' },
    { value: THRESHOLDS.clockSkewSeconds.warning, color: 'yellow' },
    { value: THRESHOLDS.clockSkewSeconds.critical, color: 'red' },
  ],
  noValue: 'not known',
  width: 5,
}

const systemUp = stateTimeline({
  title: 'System reachable',
  about: [
    'Whether any exporter got a response to its last request, successful or not. A gap is time without an exporter.',
    'Always green.',
    'Red on one system: network, DNS or certificate, see “Failed polls by reason”. Gaps on all systems: the exporter or Prometheus.',
  ],
  queries: [{ expr: perSystem(select('sds_system_up', ...SCOPE.system)), legend: '{{system}}' }],
  unit: 'none',
  mappings: upDown('reachable', 'not reachable'),
  width: 12,
  height: 6,
})

const pollOk = stateTimeline({
  title: 'Pool poll ok',
  about: [
    'Whether the last poll of each pool succeeded. A pool whose name is not known appears with its id.',
    'Always green, except for moments when a system restarts a service.',
    'Red while the system is reachable: permissions, a pool that was removed, or an unreadable response. See “Failed polls by reason”.',
  ],
  queries: [{ expr: perPolledPool(select('sds_pool_up', ...SCOPE.system)), legend: '{{system}} / {{pool}}' }],
  unit: 'none',
  mappings: upDown('ok', 'failed'),
  width: 12,
  height: 6,
})

const byPool = (metric: MetricName): Expression => by('max', POOL_KEY, select(metric, ...SCOPE.system))

const pools = table({
  title: 'Age of the data',
  about: [
    "One row per pool: result of the last poll, age of the last successful poll, age of the newest sample of the node that is furthest behind by the storage system's clock, nodes in the feed, and duration of the last poll.",
    'Last successful poll up to two minutes ago, sample age up to ten minutes.',
    'Both ages increase: the exporter cannot poll. Only the sample age increases: the collector of the storage system has stopped.',
  ],
  rows: POOL_KEY,
  columns: [
    {
      title: 'Last poll',
      expr: byPool('sds_pool_up'),
      unit: 'none',
      mappings: upDown('ok', 'failed'),
      cell: 'text',
    },
    {
      title: 'Last good poll',
      expr: age(byPool('sds_pool_last_success_timestamp_seconds')),
      unit: 's',
      decimals: 0,
      steps: steps(THRESHOLDS.pollAgeSeconds),
      cell: 'text',
    },
    {
      title: 'Sample age',
      expr: sampleAge(POOL_KEY, SCOPE.system),
      unit: 's',
      decimals: 0,
      steps: steps(THRESHOLDS.sampleAgeSeconds),
      cell: 'text',
    },
    { title: 'Nodes', expr: byPool('sds_pool_nodes'), unit: 'none' },
    { title: 'Poll duration', expr: byPool('sds_pool_poll_duration_seconds'), unit: 's' },
  ],
  cellLinks: { pool: rowToPool },
  sortBy: 'Sample age',
  width: 14,
  height: 7,
})

const BUILD = select('sds_exporter_build_info', ...SCOPE.exporter)

const versions = table({
  title: 'Versions',
  about: [
    'Version of each exporter and of its Node.js, and its uptime.',
    'The same version on all exporters.',
    'A short uptime again and again is a crash loop: read the log of that exporter.',
  ],
  rows: ['instance', 'version', 'node_version'],
  columns: [
    {
      title: 'Running for',
      expr: by(
        'max',
        ['instance', 'version', 'node_version'],
        promql`(${age(select('process_start_time_seconds', ...SCOPE.exporter))}) * on (job,instance) group_left (version,node_version) ${BUILD}`,
      ),
      unit: 'dtdurations',
      decimals: 0,
    },
  ],
  width: 10,
  height: 7,
})

export const exporterStatus: readonly SizedPanel[] = [
  exportersUp,
  configuration,
  configurationAge,
  stat(certificate),
  stat(skew),
  systemUp,
  pollOk,
  pools,
  versions,
]
