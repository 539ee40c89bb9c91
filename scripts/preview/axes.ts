import { escapeHtml, round } from './html.ts'
import type { Span } from './prometheus.ts'

/** The plot area of a panel in pixels, and its time range. */
export interface Plot {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly span: Span
}

export const xOf = ({ left, width, span }: Plot, time: number): number =>
  left + ((time - span.from) / (span.to - span.from)) * width

const pad = (value: number): string => String(value).padStart(2, '0')

/** Times in UTC, so that the image does not depend on the time zone of the machine. */
const label = (time: number, days: boolean): string => {
  const date = new Date(time * 1000)
  const clock = `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}`
  return days ? `${pad(date.getUTCMonth() + 1)}/${pad(date.getUTCDate())}` : clock
}

const STEPS = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 432_000]

/** Grid lines and labels of the time axis. */
export function timeAxis(plot: Plot): string {
  const length = plot.span.to - plot.span.from
  const maxTicks = Math.max(2, Math.floor(plot.width / 75))
  const step = STEPS.find((candidate) => length / candidate <= maxTicks) ?? 864_000
  const first = Math.ceil(plot.span.from / step) * step
  const times = Array.from(
    { length: Math.floor((plot.span.to - first) / step) + 1 },
    (_, index) => first + index * step,
  )
  const bottom = plot.top + plot.height
  return times
    .map((time) => {
      const x = round(xOf(plot, time))
      return (
        `<line class="grid" x1="${x}" x2="${x}" y1="${plot.top}" y2="${bottom}"/>` +
        `<text x="${x}" y="${bottom + 15}" text-anchor="middle">${label(time, step >= 86_400)}</text>`
      )
    })
    .join('')
}

/** About `about` round values between two bounds; bytes are round in KiB, MiB and so on. */
export function ticks(low: number, high: number, about: number, unit = 'none'): number[] {
  const size = unit === 'bytes' && high > 1024 ? 1024 ** Math.floor(Math.log(high) / Math.log(1024)) : 1
  if (size > 1) return ticks(low / size, high / size, about).map((value) => value * size)
  const raw = (high - low) / Math.max(1, about)
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw) ?? raw
  const first = Math.ceil(low / step - 1e-9) * step
  return Array.from(
    { length: Math.floor((high - first) / step + 1e-9) + 1 },
    (_, index) => first + index * step,
  )
}

/** Grid lines and labels of the value axis. */
export function valueAxis(
  plot: Plot,
  values: readonly { readonly y: number; readonly text: string }[],
): string {
  return values
    .map(
      ({ y, text }) =>
        `<line class="grid" x1="${plot.left}" x2="${plot.left + plot.width}" y1="${round(y)}" y2="${round(y)}"/>` +
        `<text x="${plot.left - 6}" y="${round(y + 4)}" text-anchor="end">${escapeHtml(text)}</text>`,
    )
    .join('')
}
