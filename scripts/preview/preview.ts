import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { type Selection, substitute } from '../../mixin/promql/selection.ts'
import { askPanel, completeSelection, panelsOf } from './answers.ts'
import type { Mark } from './draw_timeseries.ts'
import { color } from './field.ts'
import { drawPage } from './page.ts'
import type { Prometheus, Span } from './prometheus.ts'

export interface Wish {
  readonly selection: Selection
  /** End of the page, in seconds since the epoch. */
  readonly to: number
  /** Length in seconds; the dashboard's own unless given. */
  readonly length: number | undefined
}

export interface Preview {
  readonly html: string
  /** Titles of panels without data, and of those whose query failed with the reason. */
  readonly empty: readonly string[]
  readonly failed: readonly string[]
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, d: 86_400 }

/** `now-6h` in seconds. */
const lengthOf = ({ time }: Dashboard): number => {
  const [, count = '6', unit = 'h'] = /^now-(\d+)([hd])$/.exec(time?.from ?? '') ?? []
  return Number(count) * (UNIT_SECONDS[unit] ?? 3600)
}

/** As many points as a page is wide, yet no closer than samples come. */
const spanOf = (dashboard: Dashboard, { to, length }: Wish): Span => {
  const seconds = length ?? lengthOf(dashboard)
  const step = Math.max(15, Math.round(seconds / 360 / 15) * 15)
  return { from: Math.floor((to - seconds) / step) * step, to: Math.floor(to / step) * step, step }
}

/** Where annotations that are switched on begin. */
async function askMarks(
  prometheus: Prometheus,
  dashboard: Dashboard,
  selection: Selection,
  span: Span,
): Promise<Mark[]> {
  const list = (dashboard.annotations.list ?? []).filter(({ enable, expr }) => enable && expr)
  const marks = list.map(async ({ expr = '', iconColor = '' }) => {
    const series = await prometheus.range(substitute(expr, selection), span)
    return series.flatMap(({ points }) =>
      points.slice(0, 1).map(([time]) => ({ time, color: color(iconColor) })),
    )
  })
  return (await Promise.all(marks)).flat().filter(({ time }) => time > span.from)
}

/** Asks everything that a dashboard asks, and draws it. */
export async function preview(prometheus: Prometheus, dashboard: Dashboard, wish: Wish): Promise<Preview> {
  const span = spanOf(dashboard, wish)
  const selection = await completeSelection(prometheus, dashboard, wish.selection, span.to)
  const panels = panelsOf(dashboard)
  const answers = await Promise.all(panels.map((panel) => askPanel(prometheus, panel, selection, span)))
  const marks = await askMarks(prometheus, dashboard, selection, span)
  const named = panels.map(({ id = 0, title = '' }, index) => ({ id, title, answer: answers[index] }))
  return {
    html: drawPage({
      dashboard,
      selection,
      span,
      marks,
      answers: new Map(named.flatMap(({ id, answer }) => (answer ? [[id, answer] as const] : []))),
    }),
    empty: named.flatMap(({ title, answer }) =>
      answer?.series.length === 0 && answer.error === undefined ? [title] : [],
    ),
    failed: named.flatMap(({ title, answer }) =>
      answer?.error === undefined ? [] : [`${title}: ${answer.error}`],
    ),
  }
}
