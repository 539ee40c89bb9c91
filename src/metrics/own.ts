import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { RESULTS, type Result } from '../api/errors/reasons.ts'
import { unitOf } from '../catalogue.ts'
import { oncePerKey } from '../values/cache.ts'
import { FAMILY_SEPARATOR, type FamilySeries, type Series } from './exposition.ts'
import { type Family, OWN } from './families.ts'
import { type Format, familyHeader, labelsIn, labelText, sampleLine } from './lines.ts'

/** The metrics about the exporter, and those that prom-client has of the process and of Node.js. */
export type OwnMetrics = ReturnType<typeof createOwnMetrics>

const DURATION_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Gauges of prom-client with the suffix of counters. The more detailed gauges without `_total` remain. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** How a push of all metrics ended. */
export const PUSH_RESULTS = [
  'ok',
  'partial',
  'refused',
  'unavailable',
  'timeout',
  'connection',
  'local',
  'skipped',
] as const
export type PushResult = (typeof PUSH_RESULTS)[number]

type RequestFacts = Readonly<Record<'system' | 'operation' | 'code', string> & Record<'seconds', number>>

/** The options of a prom-client metric for a family. */
function described({ name, help, labels }: Family, registry: Registry) {
  return { name, help, labelNames: [...labels], registers: [registry] }
}

export function createOwnMetrics(build: { version: string; nodeVersion: string }) {
  const registry = new Registry()
  const queryPolls = new Counter(described(OWN.queryPolls, registry))
  const unmatchedRows = new Counter(described(OWN.unmatchedRows, registry))
  const requests = new Counter(described(OWN.requests, registry))
  const durations = new Histogram({
    ...described(OWN.requestDuration, registry),
    buckets: DURATION_BUCKETS_SECONDS,
  })
  const logins = new Counter(described(OWN.logins, registry))
  const ofSystem = [queryPolls, unmatchedRows, requests, logins, durations]
  const seriesCount = new Gauge(described(OWN.series, registry))
  const reloadSuccessful = new Gauge(described(OWN.reloadSuccessful, registry))
  const reloadTime = new Gauge(described(OWN.reloadTime, registry))
  const buildInfo = new Gauge(described(OWN.buildInfo, registry))
  buildInfo.set({ version: build.version, node_version: build.nodeVersion }, 1)

  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const { changing, clear, families, render } = createRendering(registry)

  return {
    /** A poll of the Flux API; `empty`: it has no data. */
    queryPoll: changing((system: string, result: Result | 'empty') => queryPolls.inc({ system, result })),
    unmatchedRows: changing((system: string, rows: number) => unmatchedRows.inc({ system }, rows)),
    request: changing(({ system, operation, code, seconds }: RequestFacts) => {
      requests.inc({ system, operation, code })
      durations.observe({ system, operation }, seconds)
    }),
    login: changing((system: string, result: Result) => logins.inc({ system, result })),
    reloaded: changing((successful: boolean, epochSeconds: number) => {
      reloadSuccessful.set(successful ? 1 : 0)
      if (successful) reloadTime.set(epochSeconds)
    }),
    series: changing((count: number) => seriesCount.set(count)),
    /**
     * Starts the counters of a system that have a closed set of results at 0, so that the first event is an increase.
     * Counters that it has keep their values.
     */
    addSystem: changing((system: string, { isQueried }: { readonly isQueried: boolean }) => {
      for (const result of RESULTS) logins.inc({ system, result }, 0)
      if (!isQueried) return
      for (const result of [...RESULTS, 'empty']) queryPolls.inc({ system, result }, 0)
      unmatchedRows.inc({ system }, 0)
    }),
    ...pushMetrics(registry, changing),
    forgetSystem: (system: string): void => void forget(ofSystem, system).then(clear),
    families,
    /** The series of all families, for a push. */
    familySeries: async (): Promise<readonly FamilySeries[]> => {
      const withTexts = ({ labels, ...one }: Sample) => ({ ...one, labels: labelsIn(labelText(labels)) })
      const all = (await families()).map(({ family, series }) => ({ family, series: series.map(withTexts) }))
      // Copies all texts. V8 has further kinds of them for texts that are joined or external, and code that has read more
      // than four kinds, as the serializer of a push would, is slow from then on.
      return structuredClone(all)
    },
    /** The exposition without `# EOF`. Without changes, it is the same string as in the last second. */
    render,
  }
}

type Changing = ReturnType<typeof createRendering>['changing']

function pushMetrics(registry: Registry, changing: Changing) {
  let metrics: { readonly exports: Counter; readonly lastSuccess: Gauge } | undefined
  return {
    /** The metrics of the push begin at 0, or end. */
    usePush: changing((isUsed: boolean) => {
      for (const { name } of [OWN.otlpExports, OWN.otlpLastSuccess]) registry.removeSingleMetric(name)
      metrics = isUsed
        ? {
            exports: new Counter(described(OWN.otlpExports, registry)),
            lastSuccess: new Gauge(described(OWN.otlpLastSuccess, registry)),
          }
        : undefined
      for (const result of PUSH_RESULTS) metrics?.exports.inc({ result }, 0)
    }),
    pushed: changing((result: PushResult, epochSeconds: number) => {
      metrics?.exports.inc({ result })
      if (result === 'ok') metrics?.lastSuccess.set(epochSeconds)
    }),
  }
}

/** Reading /proc and V8's statistics is the slowest part of a scrape. */
const MAX_AGE_MS = 1000

/** Reads the registry, and after that once a second and after each change. */
function createRendering(registry: Registry) {
  let last: ReturnType<typeof read> | undefined
  function read() {
    const families = familiesIn(registry)
    const render = oncePerKey(async (format: Format) => renderFamilies(await families, format))
    return { atMs: performance.now(), families, render }
  }
  function current() {
    if (last === undefined || performance.now() - last.atMs >= MAX_AGE_MS) last = read()
    return last
  }
  const clear = () => {
    last = undefined
  }
  return {
    clear,
    /** The same function, which also invalidates what was read. */
    changing:
      <Args extends unknown[]>(change: (...args: Args) => void) =>
      (...args: Args): void => {
        clear()
        change(...args)
      },
    families: () => current().families,
    render: (format: Format) => current().render(format),
  }
}

/** Removes all series of a system. */
async function forget(metrics: readonly (Counter | Histogram)[], system: string): Promise<void> {
  for (const metric of metrics) {
    const { values } = await metric.get()
    for (const { labels } of values) {
      const { le: _bucket, ...series } = labels as Record<string, string | number>
      if (series['system'] === system) metric.remove(series)
    }
  }
}

/** The text of families, without prom-client, which would rename counters permanently. */
export function renderFamilies(families: readonly OwnFamily[], format: Format): string {
  const texts = families.map(({ family, series }) => {
    const lines = series.map(({ name, labels, value }) => sampleLine(name, labelText(labels), value))
    return `${familyHeader({ ...family, unit: unitOf(family.name) }, format)}${lines.join('')}`
  })
  return texts.join(FAMILY_SEPARATOR[format])
}

type OwnFamily = Awaited<ReturnType<typeof familiesIn>>[number]

/** The families that have series. */
async function familiesIn(registry: Registry) {
  const metrics = await registry.getMetricsAsJSON()
  return metrics.flatMap(({ name: family, help, type, values }) => {
    const entries = values as (Pick<Sample, 'labels' | 'value'> & { metricName?: string })[]
    if (entries.length === 0) return []
    const series = entries.map(({ metricName: name = family, labels, value }) => ({ name, labels, value }))
    return [{ family: { name: family, help, type: String(type) as Family['type'] }, series }]
  })
}

type Sample = Omit<Series, 'labels'> & { readonly labels: Readonly<Record<string, string | number>> }
