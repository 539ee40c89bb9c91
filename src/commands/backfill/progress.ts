import type { RunProgress } from '../../history/run/run.ts'
import { countText, durationText, percentText } from '../../text.ts'
import { MS_PER_SECOND } from '../../time_units.ts'
import { createProgress, terminalWidth, wrappedLines } from '../cli/output/width.ts'

export type BackfillReporter = ReturnType<typeof createReporter>

/** Shortest time between two updates. */
const INTERVAL_MS = 200

/** Reports progress on a terminal. @param now monotonic clock in milliseconds */
export function createReporter(output: Parameters<typeof createProgress>[0], now: () => number) {
  const terminal = createProgress(output)
  const began = now()
  let shownAt = began
  let first: number | undefined
  return {
    show({ done, total, samples }: RunProgress): void {
      first ??= done
      if (now() - shownAt < INTERVAL_MS) return
      shownAt = now()
      const secondsLeft = ((total - done) * (shownAt - began)) / MS_PER_SECOND / (done - first)
      const left = done > first ? `, ${durationText(secondsLeft)} left` : ''
      terminal.show(`${percentText(total === 0 ? 1 : done / total)}, ${countText(samples)} samples${left}`)
    },
    /** Writes a line that stays. */
    line(text: string): void {
      terminal.clear()
      output.write(`${wrappedLines(text, terminalWidth(output))}\n`)
    },
    clear: terminal.clear,
  }
}
