import { FAMILIES } from '../../../src/metrics/families.ts'

/** Labels that Prometheus adds to everything that it scrapes. */
const TARGET = ['job', 'instance'] as const

/** Metrics that are not of our making: of Prometheus itself, and of prom-client about the process. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  up: TARGET,
  scrape_duration_seconds: TARGET,
  scrape_samples_scraped: TARGET,
  process_start_time_seconds: TARGET,
  process_cpu_seconds_total: TARGET,
  process_resident_memory_bytes: TARGET,
  process_open_fds: TARGET,
  process_max_fds: TARGET,
  nodejs_heap_size_used_bytes: TARGET,
  nodejs_eventloop_lag_p99_seconds: TARGET,
  ALERTS: ['alertname', 'alertstate', 'severity', 'system', 'pool', 'node'],
}

const HISTOGRAM_SERIES: Readonly<Record<string, readonly string[]>> = {
  _bucket: ['le'],
  _sum: [],
  _count: [],
}

const own: [string, readonly string[]][] = FAMILIES.flatMap(({ name, labels, type }) => {
  const all = [...labels, ...TARGET]
  if (type !== 'histogram') return [[name, all] as [string, readonly string[]]]
  return Object.entries(HISTOGRAM_SERIES).map(([suffix, extra]): [string, readonly string[]] => [
    `${name}${suffix}`,
    [...all, ...extra],
  ])
})

/** Every series name that a dashboard may ask for, with its labels. */
export const KNOWN_METRICS: ReadonlyMap<string, readonly string[]> = new Map([
  ...own,
  ...Object.entries(FOREIGN),
])

export const KNOWN_NAMES: readonly string[] = [...KNOWN_METRICS.keys()]

/** Names that prom-client or Prometheus must bring, because no family of ours has them. */
export const FOREIGN_NAMES: readonly string[] = Object.keys(FOREIGN)

/** Labels of a metric, or those that all metrics share whose names match a pattern. */
export const labelsOfMetric = (nameOrPattern: string): ReadonlySet<string> => {
  const pattern = new RegExp(`^(?:${nameOrPattern})$`)
  const lists = [...KNOWN_METRICS].filter(([name]) => pattern.test(name)).map(([, labels]) => labels)
  const [first = [], ...more] = lists
  return new Set(first.filter((label) => more.every((list) => list.includes(label))))
}

/** Counters: their value means nothing, only its rate does. */
export const isCounter = (name: string): boolean =>
  FAMILIES.some(
    (family) =>
      (family.type === 'counter' && family.name === name) ||
      (family.type === 'histogram' && name.startsWith(family.name)),
  ) || name === 'process_cpu_seconds_total'
