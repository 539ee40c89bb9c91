import type { Period } from '../../api/history/series.ts'
import { ATTRIBUTES } from '../../catalogue.ts'
import { labelText } from '../../metrics/lines.ts'
import { MS_PER_SECOND } from '../../time_units.ts'
import { CommandError } from '../cli/exit.ts'
import { requestJson } from '../cli/request_json.ts'
import type { ListedPool } from './pools.ts'

/** Families of a pool whose gaps are looked for in Prometheus. */
export interface GapQuery {
  readonly system: string
  readonly pool: string
  /** Families of which one is enough. */
  readonly families: readonly string[]
}

/** Prometheus refuses range queries with more than 11,000 steps. */
const MAX_STEPS = 10_000
const TIMEOUT_MS = 120_000

/**
 * The parts of a period for which Prometheus has no sample of some families of a pool: the intervals that end at a
 * point of the history and have none. Shorter gaps are not found, because the history has no points for them.
 * @param prometheus its root URL, without a slash at its end
 * @throws {CommandError} if Prometheus does not answer
 */
export async function findGaps(
  prometheus: string,
  { system, pool, families }: GapQuery,
  { start, end, interval }: Period,
  signal: AbortSignal,
): Promise<readonly Period[]> {
  const labels = labelText({ system, pool })
  // One millisecond less, because Prometheus 2 includes both ends: the point before is not that of this interval.
  const window = `${interval * MS_PER_SECOND - 1}ms`
  // Each family is counted separately: functions drop the name of the metric, and then their series have equal labels.
  const counts = families.map((family) => `count_over_time(${family}{${labels}}[${window}])`)
  const query = `count(${counts.join(' or ')})`
  const present = new Set<number>()
  for (let from = start; from < end; from += MAX_STEPS * interval) {
    const to = Math.min(from + (MAX_STEPS - 1) * interval, end - interval)
    const parameters = { query, start: String(from), end: String(to), step: String(interval) }
    for (const t of await timesOf(prometheus, new URLSearchParams(parameters), signal)) present.add(t)
  }
  return missing(present, { start, end, interval })
}

/** A family that the nodes of the pool have, in `/metrics` as well as in history; undefined if there is none. */
export function feedFamilyOf({ reading }: Pick<ListedPool, 'reading'>): string | undefined {
  const usable = ATTRIBUTES.filter(({ family, historyFamily, currentOnly }) => {
    return !currentOnly && family === historyFamily
  })
  return usable.find(({ name }) => reading.nodes.some(({ values }) => values.has(name)))?.family
}

/**
 * The parts of a period for which Prometheus has no sample of the Flux API. Its points have times of their own:
 * those after one multiple of the interval, up to and including the next one, belong together.
 * @param nowSeconds intervals that are not over yet are no gaps
 */
export async function findQueryGaps(
  prometheus: string,
  query: GapQuery,
  { start, end, interval }: Period,
  nowSeconds: number,
  signal: AbortSignal,
): Promise<readonly Period[]> {
  const over = Math.min(end, Math.floor(nowSeconds / interval) * interval)
  const shifted = { start: start + interval, end: over + interval, interval }
  const gaps = await findGaps(prometheus, query, shifted, signal)
  return gaps.map((gap) => ({ start: gap.start - interval + 1, end: gap.end - interval + 1, interval }))
}

function missing(present: ReadonlySet<number>, { start, end, interval }: Period): Period[] {
  const gaps: { start: number; end: number; interval: number }[] = []
  for (let t = start; t < end; t += interval) {
    if (present.has(t)) continue
    const last = gaps.at(-1)
    if (last?.end === t) last.end = t + interval
    else gaps.push({ start: t, end: t + interval, interval })
  }
  return gaps
}

async function timesOf(
  prometheus: string,
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<number[]> {
  const url = `${prometheus}/api/v1/query_range?${parameters}`
  const noResponse = (reason: string) =>
    new CommandError(`${prometheus} did not answer the query for gaps: ${reason}`)
  const { status, body } = await requestJson(url, { timeoutMs: TIMEOUT_MS, signal, noResponse })
  const { status: result, error, data } = (body ?? {}) as QueryResponse
  if (result === 'success') return (data?.result ?? []).flatMap(({ values }) => values.map(([t]) => t))
  const reason = error ?? 'it is not the API of Prometheus: correct --prometheus.url'
  throw new CommandError(`${prometheus} refused the query for gaps (HTTP ${status}): ${reason}`)
}

interface QueryResponse {
  readonly status?: string
  readonly error?: string
  readonly data?: { readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[] }
}
