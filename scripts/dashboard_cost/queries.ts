import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus'
import { buildDashboards } from '../../grafana/mixin/dashboards/build.ts'
import { substitute } from '../../grafana/mixin/promql/selection.ts'
import { initialSelection, panelsOf, stepped } from './panels.ts'
import { prometheusAt, type Span } from './prometheus.ts'

const RANGE_SECONDS = 6 * 3600
/** As in a panel that is wide enough for them, where the panel has no larger interval. */
export const STEPS = 360

const spanBefore = (end: number): Span => ({
  from: end - RANGE_SECONDS,
  to: end,
  step: RANGE_SECONDS / STEPS,
})

interface Measured {
  readonly seconds: number
  /** Of all threads of Prometheus. On a machine that does nothing else, it is about the time of the query. */
  readonly cpuSeconds: number
  readonly series: number
  readonly error?: string
}

export interface Cost extends Measured {
  /** Dashboard, panel and query. */
  readonly where: string
  /** Times at which the query is evaluated. */
  readonly points: number
}

/** CPU time that a Prometheus has used so far. */
export async function cpuSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
}

/** Runs a query over a span, or at its end. */
export async function measure(url: string, expr: string, span: Span, instant: boolean): Promise<Measured> {
  const prometheus = prometheusAt(url)
  const cpuBefore = await cpuSeconds(url)
  const begin = performance.now()
  const outcome = await (instant ? prometheus.instant(expr, span.to) : prometheus.range(expr, span)).then(
    ({ length }) => ({ series: length }),
    (failure: unknown) => ({
      series: 0,
      error: failure instanceof Error ? failure.message : String(failure),
    }),
  )
  const seconds = (performance.now() - begin) / 1000
  return { seconds, cpuSeconds: (await cpuSeconds(url)) - cpuBefore, ...outcome }
}

/** From here a query is measured again. */
const LONG_SECONDS = 1

/**
 * As {@link measure}; the better of two where the first takes long. A garbage collection of Prometheus, whose heap has
 * several gigabytes, takes seconds of CPU in whichever query it begins.
 */
async function measureAgain(...query: Parameters<typeof measure>): Promise<Measured> {
  const first = await measure(...query)
  if (first.seconds < LONG_SECONDS || first.error !== undefined) return first
  const second = await measure(...query)
  return second.seconds < first.seconds ? second : first
}

async function costsOfDashboard(url: string, dashboard: Dashboard, span: Span): Promise<Cost[]> {
  const selection = await initialSelection(prometheusAt(url), dashboard, span.to)
  const costs: Cost[] = []
  for (const panel of panelsOf(dashboard)) {
    for (const query of (panel.targets ?? []) as Dataquery[]) {
      const where = `${dashboard.uid} / ${panel.title} / ${query.refId}`
      const own = stepped(panel, span)
      const expr = substitute(query.expr ?? '', {
        ...selection,
        rangeSeconds: RANGE_SECONDS,
        intervalSeconds: own.step,
      })
      const instant = query.instant ?? false
      const points = instant ? 1 : Math.floor(RANGE_SECONDS / own.step)
      costs.push({ where, points, ...(await measureAgain(url, expr, own, instant)) })
    }
  }
  return costs
}

/** Runs every query of every panel as Grafana does, with everything selected, one after the other. */
export async function queryCosts(url: string, end: number): Promise<Cost[]> {
  const costs: Cost[] = []
  for (const dashboard of buildDashboards()) {
    costs.push(...(await costsOfDashboard(url, dashboard, spanBefore(end))))
  }
  return costs
}

/** A query whose cost says how fast the machine is now: one metric of all nodes, at each point of the range. */
export const KNOWN_QUERY = 'sum by (pool_id) (sds_node_disk_space_total_bytes)'

export const knownQuery = (url: string, end: number): Promise<Measured> =>
  measure(url, KNOWN_QUERY, spanBefore(end), false)
