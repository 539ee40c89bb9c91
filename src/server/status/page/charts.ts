import type { ScheduleStatus } from '../../../status/model.ts'
import {
  type History,
  MINUTE_SLOTS,
  type PoolColumn,
  SLOT_SECONDS,
  type SystemColumn,
  type Values,
} from '../../../status/recent.ts'
import { bytesText, countText, durationText, latencyText, percentText } from '../../../text.ts'
import { type Html, html } from '../../page/html.ts'
import { rounded } from './elements.ts'

/** Points of a chart. An hour has one for each minute. */
const POINTS = 60
const WIDTH = 120
const HEIGHT = 30
/** So that the highest value is not at the edge. */
const HEADROOM = 1.15
/** The Flux API has new values every five minutes. */
const LEAST_INTERVAL_SECONDS = 300
/** Values further apart than this number of intervals are not connected. */
const LONGEST_GAP = 1.3

type Combine = (values: readonly number[]) => number
const last: Combine = (values) => values.at(-1) ?? 0
const highest: Combine = (values) => Math.max(...values)
const total: Combine = (values) => values.reduce((sum, value) => sum + value, 0)

interface LineChart<Column extends string> {
  readonly title: string
  readonly column: Column
  /** The values that are shown, of those of all slots; by default the same. */
  readonly derive?: (values: Values) => Values
  /** The value of several slots. */
  readonly combine: Combine
  readonly text: (value: number) => string
  /** The value at the top; by default a little more than the highest one. */
  readonly top?: number
}

const COMMON_CHARTS: readonly LineChart<SystemColumn & PoolColumn>[] = [
  { title: 'Poll duration', column: 'poll_seconds', combine: highest, text: latencyText },
  {
    title: 'Transactions',
    column: 'transactions_per_second',
    combine: last,
    text: (value) => `${countText(value)}/s`,
  },
  {
    title: 'Object data',
    column: 'transaction_bytes_per_second',
    combine: last,
    text: (value) => `${bytesText(value)}/s`,
  },
]

export const SYSTEM_CHARTS: readonly LineChart<SystemColumn>[] = [
  ...COMMON_CHARTS,
  {
    title: 'Requests',
    column: 'requests',
    // The minute before each slot, so that the newest value equals that of the facts.
    derive: (counts) =>
      counts.map((_, index) =>
        total(
          counts
            .slice(0, index + 1)
            .slice(-MINUTE_SLOTS)
            .map((count) => count ?? 0),
        ),
      ),
    combine: last,
    text: (count) => `${countText(count)}/min`,
  },
]

export const POOL_CHARTS: readonly LineChart<PoolColumn>[] = [
  ...COMMON_CHARTS,
  {
    title: 'Allocated',
    column: 'disk_space_allocated_ratio',
    combine: last,
    text: percentText,
    top: 1,
  },
]

export function charts<Column extends string>(
  rows: readonly LineChart<Column>[],
  history: History<NoInfer<Column> | PollColumn>,
  polls: ScheduleStatus,
): Html {
  const interval = Math.max(LEAST_INTERVAL_SECONDS, polls.interval_seconds ?? polls.stale_after_seconds)
  const ok = history('polls_ok')
  const list = [
    pollChart(ok, history('polls_failed')),
    ...rows.map((row) => lineChart(row, history(row.column), LONGEST_GAP * interval)),
  ]
  if (list.every((one) => one === undefined)) return html``
  return html`<h3 class="quiet">Last ${durationText(ok.length * SLOT_SECONDS)}</h3><div class="charts">${list}</div>`
}

type PollColumn = 'polls_ok' | 'polls_failed'

/** The values of each point. */
function pointsOf(values: Values, combine: Combine): { readonly points: Values; readonly seconds: number } {
  const perPoint = Math.max(1, Math.ceil(values.length / POINTS))
  const points: (number | undefined)[] = []
  for (let end = values.length; end > 0; end -= perPoint) {
    const slots = values.slice(Math.max(0, end - perPoint), end).filter((value) => value !== undefined)
    points.unshift(slots.length === 0 ? undefined : combine(slots))
  }
  return { points, seconds: perPoint * SLOT_SECONDS }
}

/** A line; nothing without a value. */
function lineChart(
  { title, derive = (values) => values, combine, text, top }: LineChart<string>,
  values: Values,
  gapSeconds: number,
): Html | undefined {
  const { points, seconds } = pointsOf(derive(values), combine)
  const present = points.filter((value) => value !== undefined)
  const newest = present.at(-1)
  if (newest === undefined) return undefined
  const [low, high] = [Math.min(...present), Math.max(...present)]
  const path = pathOf(points, gapSeconds / seconds, top ?? (high > 0 ? high * HEADROOM : 1))
  const label = `${title} of the last ${durationText(points.length * seconds)}: ${text(low)} to ${text(high)}, now ${text(newest)}`
  return chart(title, text(newest), label, html`<path d="${path}"/>`)
}

/** @param gap longest distance of two points that are connected, in points */
function pathOf(points: Values, gap: number, top: number): string {
  const step = WIDTH / Math.max(points.length - 1, 1)
  let previous = Number.NEGATIVE_INFINITY
  return points
    .map((value, index) => {
      if (value === undefined) return ''
      const isNear = index - previous <= gap
      previous = index
      const x = rounded(index * step)
      const y = rounded(HEIGHT - 1 - Math.min(value / top, 1) * (HEIGHT - 2))
      // A line of no length is a dot.
      return isNear ? `L${x} ${y}` : `M${x} ${y}h0`
    })
    .join('')
}

/** The polls of each point: high and red if one failed. */
function pollChart(ok: Values, failed: Values): Html | undefined {
  const good = pointsOf(ok, total)
  const { points: bad } = pointsOf(failed, total)
  const sum = (points: Values) => points.reduce<number>((all, value) => all + (value ?? 0), 0)
  const [goodCount, badCount] = [sum(good.points), sum(bad)]
  if (goodCount + badCount === 0) return undefined
  const width = WIDTH / good.points.length
  const bars = good.points.map((count, index) => {
    const isBad = bad[index] !== undefined
    if (count === undefined && !isBad) return undefined
    const height = isBad ? HEIGHT : HEIGHT / 2
    return html`<rect class="${isBad ? 'bad' : 'good'}" x="${rounded(index * width)}" y="${HEIGHT - height}" width="${rounded(width * 0.7)}" height="${height}"/>`
  })
  const text = badCount === 0 ? `${goodCount} ok` : `${goodCount} ok, ${badCount} failed`
  const period = durationText(good.points.length * good.seconds)
  return chart('Polls', text, `Polls of the last ${period}: ${text}`, html`${bars}`)
}

function chart(title: string, value: string, label: string, shapes: Html): Html {
  return html`<figure class="chart"><figcaption>${title} <strong>${value}</strong></figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">${shapes}</svg></figure>`
}
