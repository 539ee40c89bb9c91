/** The units of times in JSON are seconds, those of JavaScript are milliseconds. */
export const MS_PER_SECOND = 1000
export const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 86_400

/** The sum of the parts of a duration, such as `1h30m`, by the sizes of their units; 0 for other text. */
export function durationOf(text: string, units: Readonly<Record<string, number>>): number {
  // Sticky: a search for the next part would read many digits again from each of them.
  const parts = text.matchAll(/([\d.]+)([a-zµ]+)/gy)
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0)
}

/** RFC 3339 in UTC, without a fraction: `2026-03-11T12:00:00Z`. */
export function timeText(seconds: number): string {
  return new Date(seconds * MS_PER_SECOND).toISOString().replace(/\.\d+/, '')
}
