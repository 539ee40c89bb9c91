import { REJECTIONS, type RejectedValue } from '../../api/parse/json.ts'
import { createJournal, type RunSettings, type RunState } from '../../history/run/journal.ts'
import { type BackfillOptions, runBackfill } from '../../history/run/run.ts'
import type { UnreadGap } from '../../history/run/unread_gaps.ts'
import type { HistorySource } from '../../history/sources/source.ts'
import { counted, countText, durationText, visibleText } from '../../text.ts'
import { timeText } from '../../time_units.ts'
import { CommandError, failureText } from '../cli/exit.ts'
import type { Output } from './output.ts'
import type { Plan } from './performance.ts'
import type { BackfillReporter } from './progress.ts'

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
  const { samples, unreadGaps } = await read(run, rejected.add)
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
  if (unreadGaps.length > 0)
    throw new CommandError(unreadGapsText(unreadGaps, plan.sources, output.journalFile !== undefined))
  if (samples === 0) reporter.line(NO_SAMPLES)
  else process.stdout.write(output.importSteps(settings.period))
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

/** One line for each gap. */
function unreadGapsText(
  gaps: readonly UnreadGap[],
  sources: readonly HistorySource[],
  canResume: boolean,
): string {
  const lines = gaps.map(({ source: key, subject, start, end }) => {
    const source = sources.find((one) => one.key === key)
    const where = visibleText(`system ${source?.system}, ${source?.label}`)
    return `missing: ${where}: ${subject} from ${timeText(start)} to ${timeText(end)} was not answered`
  })
  const next = canResume
    ? 'The rest is written: run the same command with --resume to read just this.'
    : 'The rest is written. Only a run with a journal can be continued.'
  return [...lines, next].join('\n')
}

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
