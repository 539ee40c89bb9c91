import { type DiskFigures, fullnessSeverity } from '../../../status/node_status.ts'
import { OLD_SAMPLE_SECONDS, type TotalStatus } from '../../../status/pool_status.ts'
import type { State } from '../../../status/states.ts'
import { counted, durationText, latencyText, percentText, storageText } from '../../../text.ts'
import { timeText } from '../../../time_units.ts'
import { type Content, type Html, html } from '../../page/html.ts'

const STATE_WORDS: Readonly<Record<State, string>> = {
  ok: 'OK',
  starting: 'Starting',
  warning: 'Attention',
  critical: 'Critical',
}

export function statePill(state: State): Html {
  return html`<span class="pill ${state}">${STATE_WORDS[state]}</span>`
}

const NOT_KNOWN = html`<span class="quiet">–</span>`

export function known<T>(value: T | null | undefined, show: (value: T) => Content): Content {
  return value === null || value === undefined ? NOT_KNOWN : show(value)
}

/** `12s ago` or `in 12s`, with the time as a tooltip. @param now in seconds since the epoch, as `seconds` */
export function relativeTime(seconds: number, now: number): Html {
  const distance = Math.round(now - seconds)
  const text = distance >= 0 ? `${durationText(distance)} ago` : `in ${durationText(-distance)}`
  return timeElement(seconds, text)
}

/** The times of a system may be in another unit than seconds. */
const MAX_SECONDS = 8.64e12

/** `in 12s`, or `now` for what is due. */
export function dueTime(seconds: number, now: number): Html {
  return seconds > now + 0.5 ? relativeTime(seconds, now) : timeElement(seconds, 'now')
}

function timeElement(seconds: number, text: string): Html {
  if (!(Math.abs(seconds) <= MAX_SECONDS)) return html`<span>${text}</span>`
  const iso = timeText(Math.round(seconds))
  return html`<time datetime="${iso}" title="${iso.replace('T', ' ').replace('Z', ' UTC')}">${text}</time>`
}

/** `09:30:07 UTC` */
export function clockTime(seconds: number): Html {
  return timeElement(seconds, `${new Date(seconds * 1000).toISOString().slice(11, 19)} UTC`)
}

export function sampleAge(seconds: number): Html {
  const text = seconds < 0 ? `in ${durationText(-seconds)}` : `${durationText(seconds)} ago`
  return seconds > OLD_SAMPLE_SECONDS ? html`<strong class="warning">${text}</strong>` : html`${text}`
}

export function fact(term: string, ...description: readonly Content[]): Html {
  return html`<div><dt>${term}</dt><dd>${description}</dd></div>`
}

/** A fact with the width of all columns. */
export function wideFact(term: string, ...description: readonly Content[]): Html {
  return html`<div class="wide"><dt>${term}</dt><dd>${description}</dd></div>`
}

const LATENCY_NAMES = ['read', 'write'] as const

type Latencies = Readonly<Record<`${(typeof LATENCY_NAMES)[number]}_latency_seconds`, number | null>>

/** `read 7 ms, write 14 ms` */
export function latencies(
  values: Latencies,
  mark = (_name: (typeof LATENCY_NAMES)[number], text: string): Content => text,
): Content {
  return parts(
    LATENCY_NAMES.flatMap((name) => {
      const seconds = values[`${name}_latency_seconds`]
      return seconds === null ? [] : [mark(name, `${name} ${latencyText(seconds)}`)]
    }),
  )
}

/** Texts with commas between them, none of which breaks; a dash without any. */
export function parts(texts: readonly Content[]): Content {
  if (texts.length === 0) return NOT_KNOWN
  const words = texts.map(
    (text, index) => html`<span class="whole">${text}${index < texts.length - 1 ? ',' : ''}</span> `,
  )
  return html`<span>${words}</span>`
}

export function table(titles: readonly string[], rows: readonly Html[]): Html {
  return html`<thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows}</tbody>`
}

/** Below a list of which not all are shown. @param url of all, if it is another page */
export function moreOf(count: number, shown: number, noun: string, url?: string): Html | undefined {
  if (count <= shown) return undefined
  const others = url === undefined ? 'search for others' : html`<a href="${url}">show all</a>`
  return html`<p class="quiet">${shown} of ${counted(count, noun)} shown, the worst first: ${others}</p>`
}

/** On a phone each cell is a line, with the title of its column. */
export function cell(title: string, content: Content): Html {
  return html`<td data-title="${title}">${content}</td>`
}

interface Segment {
  /** The class of the colour. */
  readonly kind: 'good' | 'notice' | 'warning' | 'critical'
  /** 0 to 1. */
  readonly share: number
}

const BAR_WIDTH = 100

/** Shares of a whole. The text beside it has the same figures, so it is hidden from screen readers. */
function bar(segments: readonly Segment[]): Html {
  let x = 0
  const rectangles = segments
    .filter(({ share }) => share > 0)
    .map(({ kind, share }) => {
      const width = Math.min(share * BAR_WIDTH, BAR_WIDTH - x)
      const rectangle = html`<rect class="${kind}" x="${rounded(x)}" width="${rounded(width)}" height="8"/>`
      x += width
      return rectangle
    })
  return html`<svg class="bar" viewBox="0 0 ${BAR_WIDTH} 8" preserveAspectRatio="none" aria-hidden="true">${rectangles}</svg>`
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}

/** `45.2% of 81.9 TiB`, above a bar. @param of what has this space; a system is as its pools */
export function capacity(
  {
    disk_space_total_bytes: total,
    disk_space_allocated_ratio: ratio,
  }: Pick<TotalStatus, 'disk_space_total_bytes' | 'disk_space_allocated_ratio'>,
  of: 'node' | 'pool' = 'pool',
): Content {
  if (ratio === null) return known(total, storageText)
  const severity = fullnessSeverity(of, ratio)
  const kind = severity === 'ok' ? 'good' : severity
  const size = total === null ? '' : ` of ${storageText(total)}`
  return html`<span class="measure"><span>${percentText(ratio)}${size}</span>${bar([{ kind, share: ratio }])}</span>`
}

/** `58 of 60 good, 2 bad`, above a bar. */
export function disks(counts: DiskFigures): Content {
  const { disks: all, disks_good: good } = counts
  if (all === null && good === null) return NOT_KNOWN
  const others = [
    [counts.disks_bad, 'bad', 'critical'],
    [counts.disks_ready_to_replace, 'to replace', 'warning'],
    [counts.disks_maintenance, 'in maintenance', 'notice'],
  ] as const
  const texts = others.flatMap(([count, words]) => ((count ?? 0) > 0 ? [`${count} ${words}`] : []))
  const whole = all ?? good ?? 0
  const segments: Segment[] = [
    ...others.map(([count, , kind]) => ({ kind, share: shareOf(count, whole) })),
    { kind: 'good', share: shareOf(good, whole) },
  ]
  const count = good === null ? whole : all === null || all === good ? good : `${good} of ${all}`
  const summary = good === null ? `${count}` : `${count} good`
  return html`<span class="measure">${parts([summary, ...texts])}${bar(segments)}</span>`
}

function shareOf(count: number | null, whole: number): number {
  return whole === 0 ? 0 : Math.min((count ?? 0) / whole, 1)
}
