import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { by } from '../../promql/operators.ts'
import { JOB, LIMITS } from '../../settings.ts'
import { type Alert, alertsAbout } from './rule.ts'
import { dashboardOf } from './templates.ts'

const { critical, warning } = alertsAbout({})

const OF_JOB: Matcher = `job="${JOB}"`
const INSTANCE = 'Exporter {{ $labels.instance }}'
const exporterPage = dashboardOf('exporter', [])
const instancePage = dashboardOf('exporter', ['instance'])

/** Every server of a shard scrapes all exporters, also one that has no system. A server does not see its own labels. */
const OF_SHARD = select('up', OF_JOB, 'shard!=""')
/** Sent samples within a day, and sends none now. */
const missing = (labels: readonly string[], selector: Expression): Expression =>
  promql`${by('max', labels, promql`last_over_time(${selector}[1d])`)} >= 0
unless
${by('max', labels, selector)}`

const pushes = (result: Matcher): Expression =>
  by('sum', ['instance'], promql`increase(${select('sds_otlp_exports_total', result)}[30m])`)

/** The Prometheus servers that divide the systems, as a common store sees them by their external labels. */
const shards: readonly Alert[] = [
  critical('SdsShardMissing', {
    scope: 'all',
    expr: missing(['shard'], OF_SHARD),
    for: '5m',
    summary: 'A shard of Prometheus servers sends no samples.',
    description:
      'No Prometheus server of shard {{ $labels.shard }} sends samples to the store, as one did within a day: the storage systems of this shard are not monitored.',
    advice: 'find out why its servers do not run, or cannot write to the store',
    dashboard: exporterPage,
  }),
  warning('SdsShardReplicaMissing', {
    scope: 'all',
    expr: missing(['shard', 'replica'], select('up', OF_JOB, 'shard!=""', 'replica!=""')),
    for: '15m',
    summary: 'A Prometheus server of a shard sends no samples.',
    description:
      'Prometheus server {{ $labels.replica }} of shard {{ $labels.shard }} sends no samples to the store, as it did within a day. No data is lost while another server of the shard does.',
    advice: 'read the log of the server: it may have been replaced by one with another name',
    dashboard: exporterPage,
  }),
]

/** Processes: exporters, and the servers that scrape them. */
export const processes: readonly Alert[] = [
  critical('SdsExporterAbsent', {
    scope: 'all',
    expr: promql`absent(${select('up', OF_JOB)} == 1)`,
    for: '10m',
    summary: 'No exporter is running.',
    description: `Prometheus cannot scrape any exporter of the job ${JOB}: no storage system is monitored, and no other storage alert can fire.`,
    advice: 'start the exporter, or correct the scrape configuration',
    dashboard: exporterPage,
  }),
  warning('SdsExporterDown', {
    scope: 'all',
    expr: promql`${select('up', OF_JOB)} == 0`,
    for: '5m',
    summary: 'An exporter cannot be scraped.',
    description: `${INSTANCE} cannot be scraped. If a second exporter monitors the same systems, no data is lost.`,
    advice: 'start the exporter that is down, and read the end of its log',
    dashboard: instancePage,
  }),
  warning('SdsExporterRestarting', {
    scope: 'all',
    expr: promql`max by (instance) (changes(${select('process_start_time_seconds', OF_JOB)}[1h])) >= ${LIMITS.exporterRestarts}`,
    keepFiringFor: '15m',
    summary: 'An exporter restarts repeatedly.',
    description: `${INSTANCE} started {{ $value }} times within an hour.`,
    advice: 'read the end of its log: it may lack memory',
    dashboard: instancePage,
  }),
  warning('SdsConfigReloadFailed', {
    scope: 'all',
    expr: promql`max by (instance) (max_over_time(${select('sds_exporter_config_last_reload_successful')}[5m])) == 0`,
    for: '10m',
    summary: 'An exporter refused its configuration file.',
    description: `${INSTANCE} keeps its previous configuration, because the file has an error. A restart would fail.`,
    advice: 'run sds-exporter check, and correct the file',
    dashboard: instancePage,
  }),
  warning('SdsOtlpPushFailing', {
    scope: 'all',
    expr: promql`${pushes('result!="ok"')} > 0
unless
${pushes('result="ok"')} > 0`,
    for: '10m',
    keepFiringFor: '5m',
    summary: 'An exporter cannot push its metrics with OTLP.',
    description: `${INSTANCE} has failed to push its metrics, or the receiver rejects some of them; no push has succeeded within 30 minutes.`,
    advice: 'run sds-exporter doctor, or read the log of the exporter: it has the reason',
    dashboard: instancePage,
  }),
  ...shards,
]
