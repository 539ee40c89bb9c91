/** Exponential back-off: the pause after `failures` (1 or more) in a row, in milliseconds. */
export function backoffMs(failures: number, firstMs: number, longestMs = Number.POSITIVE_INFINITY): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs)
}

/** The longest time that a timer of Node.js takes; with a longer one it fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1
