import { FAMILIES, type Family } from '../../../../src/metrics/families.ts'
import { readText } from '../../../repository/repository.ts'
import { FOREIGN_NAMES } from '../../promql/known_metrics.ts'
import {
  constant,
  type InputSeries,
  increasingOnBoth,
  type Labels,
  NOW,
  onBoth,
  onEach,
  seriesIn,
} from './series.ts'

/** One exporter of the pair is down and refused its configuration. */
export const exporters = (): InputSeries[] => [
  ...onEach('up', {}, [1, 0]),
  constant('up', { job: 'node', instance: 'c:9100' }, 1),
  ...onEach('sds_exporter_config_last_reload_successful', {}, [1, 0]),
  ...onEach('sds_exporter_config_last_reload_success_timestamp_seconds', {}, [3600, 100]),
  ...onEach('sds_system_up', { system: 'fra' }, [1, 0]),
  ...onEach('sds_system_query_up', { system: 'fra' }, [1, 0]),
  ...onEach('sds_system_up', { system: 'muc' }, [0, 0]),
  ...onBoth('sds_system_tls_not_after_timestamp_seconds', { system: 'fra' }, NOW + 86_400),
  ...onBoth('sds_system_clock_skew_seconds', { system: 'fra' }, 2),
  ...onBoth('sds_system_clock_skew_seconds', { system: 'muc' }, -40),
  ...onBoth('sds_authn_providers', { system: 'fra' }, 3),
]

const ALERTS: readonly Labels[] = [
  {
    alertname: 'SdsNodeBad',
    alertstate: 'firing',
    severity: 'critical',
    system: 'fra',
    pool: 'p1',
    node: 'n2',
  },
  { alertname: 'SdsExporterDown', alertstate: 'firing', severity: 'warning' },
  { alertname: 'SdsNodesSuspect', alertstate: 'pending', severity: 'warning', system: 'fra' },
  { alertname: 'DiskFull', alertstate: 'firing', severity: 'critical' },
]

/** All series of the tests of values. */
export const SERIES: readonly InputSeries[] = [
  ...seriesIn(readText('test/fixtures/dashboards/series.prom')),
  ...exporters(),
  ...ALERTS.map((labels) => constant('ALERTS', labels, 1)),
]

const NAMES = new Set(SERIES.map(({ series }) => series.slice(0, series.indexOf('{'))))

/** Label values that joins and filters of the dashboards need; all others are "x". */
const KNOWN_VALUES: Labels = { system: 'fra', pool: 'p1', node: 'n1', pool_id: 'id1', result: 'timeout' }

const labelsFor = ({ labels }: Family): Labels =>
  Object.fromEntries(labels.map((label) => [label, KNOWN_VALUES[label] ?? 'x']))

const growing = (name: string, labels: Labels): InputSeries[] => increasingOnBoth(name, labels, 1)

const fill = (family: Family): InputSeries[] => {
  const labels = labelsFor(family)
  if (family.type === 'gauge') return onBoth(family.name, labels, 1)
  if (family.type === 'counter') return growing(family.name, labels)
  return ['0.1', '1', '+Inf'].flatMap((le) => growing(`${family.name}_bucket`, { ...labels, le }))
}

/** The same with series of every other family, for tests that every query has a result. */
export const ALL_SERIES: readonly InputSeries[] = [
  ...SERIES,
  ...FAMILIES.filter(({ name }) => !NAMES.has(name) && !NAMES.has(`${name}_bucket`)).flatMap(fill),
  ...FOREIGN_NAMES.filter((name) => !NAMES.has(name)).flatMap((name) => growing(name, {})),
]
