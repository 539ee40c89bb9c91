import { REJECTIONS, type RejectedValue } from '../../api/parse/json.ts'
import { createJournal, type RunSettings, type RunState } from '../../history/run/journal.ts'
import { type BackfillOptions, type RunProgress, runBackfill } from '../../history/run/run.ts'
import type { HistorySource } from '../../history/sources/source.ts'
import { counted, countText, durationText, percentText, visibleText } from '../../text.ts'
import { MS_PER_SECOND, timeText } from '../../time_units.ts'
import { CommandError, failureText } from '../cli/exit.ts'
import { createProgress, terminalWidth, wrappedLines } from '../cli/output/width.ts'
import type { Output } from './output.ts'
import type { Plan } from './plan.ts'

export interface PlannedRun {
  readonly settings: RunSettings
  readonly output: Output
  readonly plan: Plan
  /** The state in the journal, for a resumed run. */
  readonly state: RunState | undefined
  /** Number of requests sent so far. */
  readonly requests: () => number
  readonly reporter: BackfillReporter
  readonly signal: AbortSignal
}

/** Reads and writes what is planned. @throws {CommandError} if it is not complete */
export async function writeHistory(run: PlannedRun): Promise<void> {
  const { plan, output, settings, reporter } = run
  const began = performance.now()
  for (const line of plan.report) reporter.line(visibleText(line))
  const rejected = createRejectedReport()
  const state = await read(run, rejected.add)
  const { samples, unreadGaps } = state
  reporter.clear()
  for (const line of rejected.lines()) reporter.line(line)
  const { without } = plan
  const result = [
    ...(unreadGaps.length + without.length === 0 ? ['complete'] : []),
    `${countText(samples)} samples`,
    counted(run.requests(), 'request'),
    durationText((performance.now() - began) / 1000),
    ...(without.length === 0 ? [] : [`without ${without.join(', ')}`]),
  ]
  reporter.line(`${output.name}: ${result.join(', ')}`)
  if (samples > 0) process.stdout.write(output.importSteps(settings.period))
  else if (unreadGaps.length === 0) reporter.line(NO_SAMPLES)
  checkGaps(state)
}

/** @returns the state at the end @throws {CommandError} if the run did not reach it */
async function read(run: PlannedRun, onRejected: BackfillOptions['onRejected']): Promise<RunState> {
  const { plan, output, settings, state, reporter, signal } = run
  const destination = await output.open(state?.series ?? [])
  const journal = output.journalFile === undefined ? undefined : createJournal(output.journalFile)
  try {
    return await runBackfill({
      settings,
      sources: plan.sources,
      destination,
      journal,
      state,
      onProgress: reporter.show,
      notice: (text) => reporter.line(visibleText(text)),
      onRejected,
      signal,
    })
  } catch (failure) {
    const text = signal.aborted ? 'interrupted' : failureTexts(failure)
    if (journal?.isSaved === true)
      throw new CommandError(
        `${text}\nWhat was read is saved: run the same command with --resume to continue.`,
      )
    await destination.discard()
    throw new CommandError(text)
  }
}

const NO_SAMPLES =
  'No sample was written, so there is nothing to import. The period is compared with the clocks of the systems.'

/** The failures of all systems, or the one that ended the run. */
function failureTexts(failure: unknown): string {
  return failure instanceof AggregateError ? failure.errors.map(failureText).join('\n') : failureText(failure)
}

/** @throws {CommandError} if a run that reached its end has gaps, with a line for each of them */
export function checkGaps({ unreadGaps }: RunState): void {
  if (unreadGaps.length === 0) return
  const lines = unreadGaps.map(({ source, subject, start, end }) => {
    const times = `${timeText(start)} to ${timeText(end)}`
    return `missing: ${visibleText(source)}: ${subject} from ${times} was not answered`
  })
  throw new CommandError([...lines, READ_LATER].join('\n'))
}

const READ_LATER =
  'The rest is written. Read what is missing with a run of its own: these times as --from and --to.'

/** Counts rejected values by attribute and reason. */
function createRejectedReport() {
  const byKind = new Map<string, { readonly text: string; times: number }>()
  return {
    add({ system }: HistorySource, values: readonly RejectedValue[]): void {
      for (const { attribute, reason, node, text, times } of values) {
        const kind = `${attribute} ${reason}`
        const first = `system ${system}, node ${visibleText(node)}: "${visibleText(text)}" ${REJECTIONS[reason]}`
        const entry = byKind.get(kind) ?? { text: `${attribute}: first of ${first}`, times: 0 }
        entry.times += times
        byKind.set(kind, entry)
      }
    },
    lines: (): string[] =>
      [...byKind.values()].map(({ text, times }) => `rejected ${counted(times, 'value')} of ${text}`),
  }
}

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
