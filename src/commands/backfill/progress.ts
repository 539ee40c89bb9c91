import type { SystemProgress } from '../../history/run/progress.ts'
import { countText, durationText, percentText } from '../../text.ts'
import { MS_PER_SECOND } from '../../time_units.ts'
import { createProgress, hasControls, terminalWidth, wrappedLines } from '../cli/output/width.ts'

export type BackfillReporter = ReturnType<typeof createReporter>

/** Shortest time between two lines on a terminal. */
const TERMINAL_MS = 200
/** Shortest time between two lines without a terminal. */
const LINE_MS = 10_000
const BAR_CHARACTERS = 24

/**
 * Reports progress: on a terminal as a bar that is replaced, otherwise as a line every ten seconds.
 * @param now monotonic clock in milliseconds
 */
export function createReporter(output: Parameters<typeof createProgress>[0], now: () => number) {
  const terminal = createProgress(output)
  const began = now()
  let shownAt = began
  let first: readonly number[] | undefined
  const isReplaced = hasControls(output)
  const everyMs = isReplaced ? TERMINAL_MS : LINE_MS

  return {
    /** @param samples written by this process */
    show(systems: readonly SystemProgress[], samples: number): void {
      first ??= systems.map(({ done }) => done)
      if (now() - shownAt < everyMs) return
      shownAt = now()
      const text = progressText(systems, samples, (shownAt - began) / MS_PER_SECOND, first)
      if (isReplaced) terminal.show(text)
      else output.write(`${text}\n`)
    },
    /** Writes a line that stays. */
    line(text: string): void {
      terminal.clear()
      output.write(`${wrappedLines(text, terminalWidth(output))}\n`)
    },
    clear: terminal.clear,
  }
}

/**
 * The time left is that of the slowest system: they are read at the same time.
 * @param seconds since the start of this process
 * @param first what was done of each system before, by an earlier process
 */
export function progressText(
  systems: readonly SystemProgress[],
  samples: number,
  seconds: number,
  first: readonly number[] = [],
): string {
  const sumOf = (key: keyof SystemProgress) => systems.reduce((sum, system) => sum + system[key], 0)
  const [done, total] = [sumOf('done'), sumOf('total')]
  const ratio = total === 0 ? 1 : Math.min(done / total, 1)
  const filled = Math.round(ratio * BAR_CHARACTERS)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARACTERS - filled)}]`
  const elapsed = Math.max(seconds, 1)
  const left = systems.map((system, index) => secondsLeft(system, first[index] ?? 0, elapsed))
  const longest = Math.max(0, ...left)
  const leftText = Number.isFinite(longest) ? `, ${durationText(longest)} left` : ''
  return `${bar} ${percentText(ratio)}, ${countText(samples)} samples, ${countText(Math.round(samples / elapsed))}/s${leftText}`
}

/** Infinite before anything was read. */
function secondsLeft({ done, total }: SystemProgress, first: number, elapsed: number): number {
  return done >= total ? 0 : ((total - done) * elapsed) / (done - first)
}
