import type { Instant } from './pipeline.ts'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }
const MS_PER_SECOND = 1_000
const NANOSECOND_DIGITS = 9

/** Seconds of a duration such as `-1h30m`; undefined for units below a second and above a week. */
export function secondsOf(duration: string): number | undefined {
  let seconds = 0
  for (const [, count, unit = ''] of duration.matchAll(/(\d+)([a-z]+)/g)) {
    const factor = SECONDS[unit]
    if (factor === undefined) return undefined
    seconds += Number(count) * factor
  }
  return duration.startsWith('-') ? -seconds : seconds
}

/** A time of RFC 3339, or a date; undefined when there is no such time. */
export function parseInstant(text: string): Instant | undefined {
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? []
  const seconds = Date.parse(text.replace(/\.\d+/, '')) / MS_PER_SECOND
  if (!Number.isFinite(seconds)) return undefined
  return { seconds, nanoseconds: Number(fraction.padEnd(NANOSECOND_DIGITS, '0')) }
}

/** RFC 3339 in UTC, with the fraction of the second without trailing zeros. */
export function instantText({ seconds, nanoseconds }: Instant): string {
  const whole = new Date(seconds * MS_PER_SECOND).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
  const fraction = String(nanoseconds).padStart(NANOSECOND_DIGITS, '0').replace(/0+$/, '')
  return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`
}
