/** The units of times in JSON are seconds, those of JavaScript are milliseconds. */
export const MS_PER_SECOND = 1000
export const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 86_400

/** RFC 3339 in UTC, without a fraction: `2026-03-11T12:00:00Z`. */
export function timeText(seconds: number): string {
  return new Date(seconds * MS_PER_SECOND).toISOString().replace(/\.\d+/, '')
}
