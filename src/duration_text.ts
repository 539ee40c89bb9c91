const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** A larger unit is used only from this count on, because durations are rounded down. */
const MIN_COUNT = 2

/** A duration in whole units, rounded down: `42s`, `5m`, `3h`, `55d`. */
export function durationText(seconds: number): string {
  const size = Math.abs(seconds)
  const units = [[DAY, 'd'] as const, [HOUR, 'h'] as const, [MINUTE, 'm'] as const]
  const [length, unit] = units.find(([length]) => size >= MIN_COUNT * length) ?? [1, 's']
  return `${seconds < 0 ? '-' : ''}${Math.floor(size / length)}${unit}`
}
