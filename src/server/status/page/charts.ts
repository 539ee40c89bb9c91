import { type Column, type History, SLOT_SECONDS, type Values } from '../../../status/recent.ts'
import type { SystemStatus } from '../../../status/system_status.ts'
import { bytesText, countText, durationText, latencyText, percentText } from '../../../text.ts'
import { type Html, html } from '../../page/html.ts'
import { rounded } from './elements.ts'

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
const total: Combine = (values) => values.reduce((sum, value) => sum + value, 0)

interface ChartRow {
  readonly title: string
  readonly column: Column
  /** The value beside the title. */
  readonly combine: Combine
  readonly text: (value: number) => string
  /** The value at the top; by default a little more than the highest one. */
  readonly top?: number
}

const CHARTS: readonly ChartRow[] = [
  { title: 'Failed polls', column: 'polls_failed', combine: total, text: countText },
  { title: 'Poll duration', column: 'poll_seconds', combine: last, text: latencyText },
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
  { title: 'Allocated', column: 'disk_space_allocated_ratio', combine: last, text: percentText, top: 1 },
]

/** The charts of a system or pool; nothing without values. */
export function charts(history: History, polls: SystemStatus['polls']): Html | undefined {
  const interval = Math.max(LEAST_INTERVAL_SECONDS, polls.interval_seconds ?? polls.stale_after_seconds)
  const gap = (LONGEST_GAP * interval) / SLOT_SECONDS
  const list = CHARTS.flatMap((row) => chart(row, history(row.column), gap) ?? [])
  if (list.length === 0) return undefined
  const seconds = history('requests').length * SLOT_SECONDS
  return html`<h3 class="quiet">Last ${durationText(seconds)}</h3><div class="charts">${list}</div>`
}

/** A line; nothing without a value. @param gap longest distance of two values that are connected, in slots */
function chart({ title, combine, text, top }: ChartRow, values: Values, gap: number): Html | undefined {
  const present = values.filter((value) => value !== undefined)
  if (present.length === 0) return undefined
  const [low, high] = [Math.min(...present), Math.max(...present)]
  const path = pathOf(values, gap, top ?? (high > 0 ? high * HEADROOM : 1))
  const label = `${title} of the last ${durationText(values.length * SLOT_SECONDS)}: ${text(low)} to ${text(high)}`
  return html`<figure class="chart"><figcaption>${title} <strong>${text(combine(present))}</strong></figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${path}"/></svg></figure>`
}

function pathOf(values: Values, gap: number, top: number): string {
  const step = WIDTH / (values.length - 1)
  let previous = Number.NEGATIVE_INFINITY
  return values
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
