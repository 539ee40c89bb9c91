import type { BackfillProgress } from '../../history/backfill.ts'
import { durationText, percentText } from '../../text.ts'
import { createProgress } from '../cli/progress.ts'

interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

export interface BackfillReporter {
  show(progress: BackfillProgress): void
  /** Writes a line that stays. */
  line(text: string): void
  clear(): void
}

/** On a terminal the line is replaced at most so often. */
const TERMINAL_MS = 200
/** Without a terminal one line is written at most so often. */
const LINE_MS = 10_000
const BAR_CHARACTERS = 24
const MS_PER_SECOND = 1000

/**
 * Reports progress: on a terminal as a bar that is replaced, otherwise as a line every ten seconds.
 * @param now monotonic clock in milliseconds
 */
export function createReporter(output: Output, now: () => number): BackfillReporter {
  const terminal = createProgress(output)
  const began = now()
  let [shownAt, firstSeconds] = [began, undefined as number | undefined]
  const everyMs = output.isTTY === true ? TERMINAL_MS : LINE_MS

  return {
    show(progress) {
      firstSeconds ??= progress.doneSeconds
      if (now() - shownAt < everyMs) return
      shownAt = now()
      const text = progressText(progress, (shownAt - began) / MS_PER_SECOND, firstSeconds)
      if (output.isTTY === true) terminal.show(text)
      else output.write(`${text}\n`)
    },
    line(text) {
      terminal.clear()
      output.write(`${text}\n`)
    },
    clear: terminal.clear,
  }
}

/**
 * @param seconds since the start of this process
 * @param firstSeconds what was done before, by an earlier process
 */
export function progressText(progress: BackfillProgress, seconds: number, firstSeconds: number): string {
  const { doneSeconds, totalSeconds, samples } = progress
  const ratio = totalSeconds === 0 ? 1 : Math.min(doneSeconds / totalSeconds, 1)
  const filled = Math.round(ratio * BAR_CHARACTERS)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARACTERS - filled)}]`
  const rate = Math.round(samples / Math.max(seconds, 1))
  const speed = (doneSeconds - firstSeconds) / Math.max(seconds, 1)
  const left = speed > 0 ? `, ${durationText((totalSeconds - doneSeconds) / speed)} left` : ''
  return `${bar} ${percentText(ratio)}, ${countText(samples)} samples, ${countText(rate)}/s${left}`
}

/** `999`, `12.3 k`, `4.5 M`. */
export function countText(count: number): string {
  if (count < 10_000) return String(Math.round(count))
  return count < 10_000_000 ? `${(count / 1000).toFixed(1)} k` : `${(count / 1e6).toFixed(1)} M`
}
