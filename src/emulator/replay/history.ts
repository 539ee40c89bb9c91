import type { RecordedExchange } from '../../recording/format.ts'
import { shiftTimes } from '../../recording/times.ts'
import { type FeedRange, parseFeedQuery } from '../feed/query.ts'
import { isObject, type JsonObject } from '../protocol/format.ts'

/** The requested part of a recorded history. Times are moved by whole intervals, so that points stay on the grid. */
export function historyIn(
  { request, at, body }: RecordedExchange,
  { querystring, now }: { readonly querystring: string; readonly now: number },
): unknown {
  const recorded = Number(new URLSearchParams(request.query).get('interval') ?? 1)
  const interval = Number.isInteger(recorded) && recorded > 0 ? recorded : 1
  const { range } = parseFeedQuery(querystring, now, Number.POSITIVE_INFINITY)
  const seconds = Math.floor((now - at) / interval) * interval
  return partOf(shiftTimes(body, seconds), { ...range, recorded: interval })
}

type RecordedPart = FeedRange & { readonly recorded: number }

/** The points in the range, one in each interval, with summaries of them. */
function partOf(value: unknown, part: RecordedPart): unknown {
  if (Array.isArray(value)) return value.filter((item) => isIn(item, part)).map((item) => partOf(item, part))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, inner]): [string, unknown] => [name, partOf(inner, part)])
  const result = Object.fromEntries(members)
  return Object.fromEntries(
    members.map(([name, inner]) => {
      const series = name.endsWith('Summary') ? result[name.slice(0, -'Summary'.length)] : undefined
      const isWhole = sizeOf(series) === sizeOf(value[name.slice(0, -'Summary'.length)])
      return [name, Array.isArray(series) && !isWhole ? summaryOf(series, inner) : inner]
    }),
  )
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : -1
}

function isIn(item: unknown, { start, end, interval, recorded }: RecordedPart): boolean {
  const t = isObject(item) ? Number(item['t'] ?? Number.NaN) : Number.NaN
  if (!Number.isFinite(t)) return true
  return t >= start && t <= end && (interval <= recorded || t % interval < recorded)
}

/** Lowest, highest and mean value of snapshots, in the shape that the recorded summary has. */
function summaryOf(series: readonly unknown[], recorded: unknown): unknown {
  const points = series.filter(isObject)
  const sorted = points.toSorted((a, b) => numberOf(a) - numberOf(b))
  const [min, max] = [sorted[0], sorted.at(-1)]
  if (!isObject(recorded) || min === undefined || max === undefined) return recorded
  const mean = points.reduce((sum, point) => sum + numberOf(point), 0) / points.length
  const wrapped = (name: string, point: JsonObject) => (Array.isArray(recorded[name]) ? [point] : point)
  return {
    ...recorded,
    Min: wrapped('Min', min),
    Max: wrapped('Max', max),
    Avg: meanOf(mean, recorded['Avg']),
  }
}

function meanOf(mean: number, recorded: unknown): unknown {
  if (!isObject(recorded)) return typeof recorded === 'number' ? mean : String(mean)
  return Object.fromEntries(
    Object.entries(recorded).map(([name, value]) => [name, name === 't' ? value : meanOf(mean, value)]),
  )
}

function numberOf(point: JsonObject): number {
  return Number(Object.entries(point).find(([name]) => name.trim() !== 't')?.[1])
}
