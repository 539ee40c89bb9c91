import type { History, PoolColumn, SystemColumn, Values } from '../../../status/recent/recent.ts'
import { MINUTE_SLOTS, SLOT_SECONDS } from '../../../status/recent/slots.ts'
import { bytesText, countText, durationText, latencyText, percentText } from '../../../text.ts'
import { type Html, html } from '../../page/html.ts'
import { rounded } from './elements.ts'

/** Points of a chart. An hour has one for each minute. */
const POINTS = 60
const WIDTH = 120
const HEIGHT = 30
/** So that the highest value is not at the edge. */
const HEADROOM = 1.15
/** Values further apart are not connected: the query interface has new ones every five minutes. */
const LONGEST_GAP_SECONDS = 390

type Combine = (values: readonly number[]) => number
const last: Combine = (values) => values.at(-1) ?? 0
const highest: Combine = (values) => Math.max(...values)
const total: Combine = (values) => values.reduce((sum, value) => sum + value, 0)

interface ChartOptions {
  readonly title: string
  readonly values: Values
  /** The value of several slots. */
  readonly combine: Combine
  readonly text: (value: number) => string
  /** The value at the top; by default a little more than the highest one. */
  readonly top?: number
}

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
function lineChart({ title, values, combine, text, top }: ChartOptions): Html | undefined {
  const { points, seconds } = pointsOf(values, combine)
  const present = points.filter((value) => value !== undefined)
  const newest = present.at(-1)
  if (newest === undefined) return undefined
  const [low, high] = [Math.min(...present), Math.max(...present)]
  const path = pathOf(points, seconds, top ?? (high > 0 ? high * HEADROOM : 1))
  const label = `${title} of the last ${durationText(points.length * seconds)}: ${text(low)} to ${text(high)}, now ${text(newest)}`
  return chart(title, text(newest), label, html`<path d="${path}"/>`)
}

function pathOf(points: Values, seconds: number, top: number): string {
  const step = WIDTH / Math.max(points.length - 1, 1)
  let previous = Number.NEGATIVE_INFINITY
  return points
    .map((value, index) => {
      if (value === undefined) return ''
      const isNear = (index - previous) * seconds <= LONGEST_GAP_SECONDS
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

const perSecond = (value: number) => `${countText(value)}/s`
const bytesPerSecond = (value: number) => `${bytesText(value)}/s`

type CommonColumn = SystemColumn & PoolColumn

function commonCharts(history: History<CommonColumn>): (Html | undefined)[] {
  return [
    pollChart(history('polls_ok'), history('polls_failed')),
    lineChart({
      title: 'Poll duration',
      values: history('poll_seconds'),
      combine: highest,
      text: latencyText,
    }),
    lineChart({
      title: 'Transactions',
      values: history('transactions_per_second'),
      combine: last,
      text: perSecond,
    }),
    lineChart({
      title: 'Object data',
      values: history('transaction_bytes_per_second'),
      combine: last,
      text: bytesPerSecond,
    }),
  ]
}

export function systemCharts(history: History<SystemColumn>): Html {
  const counts = history('requests').map((count) => count ?? 0)
  // Those of the minute before each slot: the newest value is that of the facts.
  const values = counts.map((_, index) => total(counts.slice(0, index + 1).slice(-MINUTE_SLOTS)))
  const text = (count: number) => `${countText(count)}/min`
  const requests = lineChart({ title: 'Requests', values, combine: last, text })
  return charts([...commonCharts(history), requests], history('requests'))
}

export function poolCharts(history: History<PoolColumn>): Html {
  const used = lineChart({
    title: 'Allocated',
    values: history('disk_space_allocated_ratio'),
    combine: last,
    text: percentText,
    top: 1,
  })
  return charts([...commonCharts(history), used], history('polls_ok'))
}

/** @param values of all slots, for the time that they cover */
function charts(list: readonly (Html | undefined)[], values: Values): Html {
  if (list.every((one) => one === undefined)) return html``
  return html`<h3 class="quiet">Last ${durationText(values.length * SLOT_SECONDS)}</h3><div class="charts">${list}</div>`
}
