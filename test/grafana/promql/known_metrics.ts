import { PROMETHEUS_METRICS, RECORDED } from '../../../grafana/mixin/promql/metrics.ts'
import { labelsOfRecorded } from '../../../grafana/mixin/promql/recorded.ts'
import { ALERT_LABELS, EXTERNAL_LABELS } from '../../../grafana/mixin/settings.ts'
import { FAMILIES, PROCESS_METRICS } from '../../../src/metrics/families.ts'

/** Labels that Prometheus, or a store of several, adds to every series that it scrapes. */
const TARGET = [...EXTERNAL_LABELS, 'job', 'instance'] as const

const { columns, detail } = ALERT_LABELS
const LABELS_OF_ALERTS = ['alertname', 'alertstate', 'severity', ...columns, ...detail] as const

/** Metrics of Prometheus and of prom-client, with their labels. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  [...PROMETHEUS_METRICS, ...Object.keys(PROCESS_METRICS)].map((name) => [
    name,
    name === 'ALERTS' ? LABELS_OF_ALERTS : TARGET,
  ]),
)

const HISTOGRAM_SERIES: Readonly<Record<string, readonly string[]>> = {
  _bucket: ['le'],
  _sum: [],
  _count: [],
}

const recorded = Object.values(RECORDED).map((name): [string, readonly string[]] => [
  name,
  [...EXTERNAL_LABELS, ...labelsOfRecorded(name)],
])

const own: [string, readonly string[]][] = FAMILIES.flatMap(({ name, labels, type }) => {
  const all = [...labels, ...TARGET]
  if (type !== 'histogram') return [[name, all] as [string, readonly string[]]]
  return Object.entries(HISTOGRAM_SERIES).map(([suffix, extra]): [string, readonly string[]] => [
    `${name}${suffix}`,
    [...all, ...extra],
  ])
})

/** Every series name that a dashboard may select, with its labels. */
export const KNOWN_METRICS: ReadonlyMap<string, readonly string[]> = new Map([
  ...own,
  ...Object.entries(FOREIGN),
  ...recorded,
])

export const KNOWN_NAMES: readonly string[] = [...KNOWN_METRICS.keys()]

/** Names of metrics that the tables of families do not have. */
export const FOREIGN_NAMES: readonly string[] = Object.keys(FOREIGN)

/** Labels of a metric, or those that all metrics share whose names match a pattern. */
export const labelsOfMetric = (nameOrPattern: string): ReadonlySet<string> => {
  const pattern = new RegExp(`^(?:${nameOrPattern})$`)
  const lists = [...KNOWN_METRICS].filter(([name]) => pattern.test(name)).map(([, labels]) => labels)
  const [first = [], ...more] = lists
  return new Set(first.filter((label) => more.every((list) => list.includes(label))))
}

const COUNTERS: ReadonlySet<string> = new Set([
  ...FAMILIES.flatMap(({ name, type }) => {
    if (type === 'gauge') return []
    return type === 'counter' ? [name] : Object.keys(HISTOGRAM_SERIES).map((suffix) => `${name}${suffix}`)
  }),
  ...Object.entries(PROCESS_METRICS).flatMap(([name, type]) => (type === 'counter' ? [name] : [])),
])

/** Whether a series is a counter, of which only rates and increases are used. */
export const isCounter = (name: string): boolean => COUNTERS.has(name)
