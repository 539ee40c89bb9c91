import { rowToPool } from '../../grafana/links.ts'
import { upDown } from '../../grafana/mappings.ts'
import { type PanelSpec, type SizedPanel, steps } from '../../grafana/spec.ts'
import { stat } from '../../grafana/stat.ts'
import { stateTimeline } from '../../grafana/state_timeline.ts'
import { table } from '../../grafana/table.ts'
import { type Expression, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { sampleAge } from '../../promql/nodes.ts'
import { age, by, perSystem, sum } from '../../promql/operators.ts'
import { perNamedPool } from '../../promql/pools.ts'
import { SCOPE } from '../../promql/scope.ts'
import { POOL_KEY, THRESHOLDS } from '../../settings.ts'

const exportersUp = stat({
  title: 'Exporters up',
  about: [
    'Exporters that Prometheus could scrape last, and all that it knows.',
    'Both figures are the same.',
    'One of a pair down: the other goes on. None up: the other dashboards show old values and then nothing.',
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
    'Whether the last attempt to load the configuration succeeded, on the worst of the exporters.',
    'Loaded.',
    'Refused: the running configuration stays, but a restart would fail. The log names the place in the file; “sds-exporter check” does too.',
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
    'Time since an exporter last loaded its configuration, of the one that did so longest ago.',
    'Since the last change or restart.',
    'Older than a change that you made: the reload did not reach this exporter.',
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
    'Time until the TLS certificate of each storage system ends.',
    'Months.',
    'Renew it on the storage system; on that day polling stops. Negative values are certificates that have ended already.',
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
    'Mend the time service of the one that is wrong. Ages of samples allow for the difference; the times that samples carry are off by this much.',
  ],
  queries: [
    { expr: perSystem(select('sds_system_clock_skew_seconds', ...SCOPE.system)), legend: '{{system}}' },
  ],
  unit: 's',
  decimals: 0,
  steps: [
    { value: null, color: 'red' },
    { value: -THRESHOLDS.clockSkewSeconds.warning, color: 'green' },
    { value: THRESHOLDS.clockSkewSeconds.warning, color: 'yellow' },
    { value: THRESHOLDS.clockSkewSeconds.critical, color: 'red' },
  ],
  noValue: 'not known',
  width: 5,
}

const systemUp = stateTimeline({
  title: 'System reachable',
  about: [
    'Whether any exporter got an answer of the system to its last request, whatever the answer. A gap is time without an exporter.',
    'Green throughout.',
    'Red on one system: network, DNS or certificate, see “Failed polls by reason”. Gaps on all: the exporter or Prometheus.',
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
    'Whether the last poll of each pool succeeded; a pool that never answered appears under its id.',
    'Green throughout; single red moments when a system restarts a service.',
    'Red while the system is reachable: rights, a pool that was removed, or an answer that cannot be read. See “Failed polls by reason”.',
  ],
  queries: [{ expr: perNamedPool('sds_pool_up'), legend: '{{system}} / {{pool}}' }],
  unit: 'none',
  mappings: upDown('ok', 'failed'),
  width: 12,
  height: 6,
})

const byPool = (metric: MetricName): Expression => by('max', POOL_KEY, perNamedPool(metric))

const pools = table({
  title: 'Age of the data',
  about: [
    "One row a pool: result and age of the last good poll, age of the newest sample of the node that is furthest behind by the storage system's clock, nodes in the feed and the duration of the last poll.",
    'Poll age up to two minutes, sample age up to ten.',
    'Poll age grows: the exporter cannot poll. Only sample age grows: the storage system answers, but its own collector stands still.',
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
    'Version of each exporter and of its Node.js, and how long it has been running.',
    'The same version on all.',
    'A short running time that repeats is a crash loop: read the log of that exporter.',
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
