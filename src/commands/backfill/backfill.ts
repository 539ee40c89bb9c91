import { Command, InvalidArgumentError } from 'commander'
import type { Period } from '../../api/history/history.ts'
import { REJECTIONS, type RejectedValue } from '../../api/parse/json.ts'
import { HISTORY_FAMILIES, NODE_LABELS } from '../../catalogue.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { PERFORMANCE_SOURCES } from '../../config/sections.ts'
import { createJournal, difference, type RunSettings, type RunState } from '../../history/run/journal.ts'
import { type BackfillOptions, type RunProgress, runBackfill } from '../../history/run/run.ts'
import type { HistorySource } from '../../history/sources/source.ts'
import { counted, countText, durationText, percentText, visibleText } from '../../text.ts'
import { MS_PER_SECOND, timeText } from '../../time_units.ts'
import { CommandError, EXIT, failureText } from '../cli/exit.ts'
import { addConfigFile, type ConfigFileFlag } from '../cli/flags/config_file.ts'
import { addFlags, type FlagsOf, type FlagTable, parseSeconds, parseTime } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress, terminalWidth, wrappedLines } from '../cli/output/width.ts'
import { chooseSystem } from '../cli/systems.ts'
import {
  chooseOutput,
  earlierState,
  lockJournal,
  OUTPUT_FLAGS,
  type Output,
  prepareNew,
  removeSpool,
} from './output.ts'
import { connect, type Plan, planSources } from './plan.ts'

const HELP = `
Reads the history that the storage systems keep, and writes it as OpenMetrics
for promtool or sends it with remote write 1.0, with the names and labels of
/metrics. Requests stay within the limits of the configuration. At the end it
prints the commands of the import.

Times: RFC 3339 such as 2026-03-11T12:00:00Z, seconds since the epoch, now, or
-30d for 30 days ago. The point at --from is included, the point at --to is not;
both are extended to multiples of --interval.

An interrupted run (Ctrl+C, or a system that does not answer) saves what it has
in a journal and in a folder beside the output; with remote write, in the file
of --journal. The same command with --resume continues. Gaps that the Flux API
left are printed with their times, to be read with a run of its own.

Examples:
  sds-exporter backfill --config.file=sds-exporter.yml --from=-30d --label=job=sds-exporter --output=history.om
  sds-exporter backfill --config.file=sds-exporter.yml --from=-30d --label=job=sds-exporter \\
    --remote-write.url=http://mimir:8080/api/v1/push \\
    --remote-write.header=X-Scope-OrgID=storage \\
    --journal=backfill.journal

Exit codes: 0 success; 1 failed, interrupted or incomplete; 2 usage error.`

const LABEL_NAME = /^(?!__)[a-zA-Z_]\w*$/
/** Another value, or the label at other families, would change what series mean. */
const OWN_LABELS = new Set([...NODE_LABELS, ...HISTORY_FAMILIES.flatMap(({ labels }) => labels), 'le'])

function collectLabel(text: string, before: Readonly<Record<string, string>> = {}) {
  const [, name = '', value = ''] = /^([^=]*)=(.+)$/s.exec(text) ?? []
  if (!LABEL_NAME.test(name)) throw new InvalidArgumentError('Expected NAME=VALUE, such as job=sds.')
  if (OWN_LABELS.has(name)) throw new InvalidArgumentError(`The label ${name} is set by sds-exporter.`)
  return { ...before, [name]: value }
}

const time = (text: string) => parseTime(text, Date.now())
const FLAGS = {
  '--from <time>': {
    description: 'start of the history, such as -30d or 2026-03-01',
    parse: time,
  },
  '--to <time>': { description: 'end of the history (default: now)', parse: time },
  '--interval <duration>': {
    description: 'time between two points',
    parse: parseSeconds,
    default: 300,
    defaultText: '5m',
  },
  '--system <name>': 'only this system',
  '--pool <name>': {
    description: 'only this pool, by name or id; may be repeated',
    parse: (text: string, before: readonly string[] = []): readonly string[] => [...before, text],
  },
  '--source <source>': {
    description:
      'source of the history: feed (dashboard API), query (Flux API), or auto: the dashboard API, and the Flux API for what it lacks',
    choices: PERFORMANCE_SOURCES,
    default: 'auto',
  },
  ...OUTPUT_FLAGS,
  '--label <name=value>': {
    description: 'add a label to every series, such as job=sds; may be repeated',
    parse: collectLabel,
  },
  '--resume': 'continue an earlier run',
  '--force': 'replace existing output, and forget a run that did not finish',
} as const satisfies FlagTable
type Flags = ConfigFileFlag & FlagsOf<typeof FLAGS>

export function backfillCommand(): Command {
  const command = addConfigFile(
    new Command('backfill').description(
      'write the history that the systems keep, for import into Prometheus',
    ),
  )
  return addFlags(command, FLAGS).addHelpText('after', HELP).action(backfill)
}

async function backfill(flags: Flags): Promise<void> {
  const config = loadConfig(flags['config.file'], process.env, { system: flags.system })
  const output = chooseOutput(flags)
  const reporter = createReporter(process.stderr, () => performance.now())
  if (flags.resume === true && flags.force === true)
    throw new CommandError('--resume continues a run, --force begins anew: choose one', EXIT.usage)
  const newPeriod = flags.resume === true ? undefined : periodOf(flags)
  await using _lock = await lockJournal(output)
  const state = flags.resume === true ? await earlierState(output, flags.interval) : undefined
  if (state?.isFinished === true) {
    await removeSpool(output)
    reporter.line(finishedText(output.name, state))
    return checkGaps(state)
  }
  const period = state?.settings.period ?? newPeriod ?? periodOf(flags)
  if (flags.label?.['job'] === undefined) reporter.line(NO_JOB)
  if (state === undefined) await prepareNew(output, flags.force === true)
  await interruptible(async (signal) => {
    try {
      await run({ flags, config, output, period, state, reporter, signal })
    } catch (failure) {
      throw signal.aborted && !(failure instanceof CommandError) ? new CommandError('interrupted') : failure
    }
  }).finally(reporter.clear)
}

/** The period is that of the run, whatever --from and --to are. */
function finishedText(name: string, { settings: { period }, samples }: RunState): string {
  const times = `${timeText(period.start)} to ${timeText(period.end)}`
  return `${name} is finished: ${countText(samples)} samples, ${times}, nothing to add`
}

const NO_JOB =
  'warning: the series get no label job, by which the dashboards select them: add --label=job=NAME with the job_name that scrapes /metrics'

interface Invocation extends Pick<PlannedRun, 'output' | 'state' | 'reporter' | 'signal'> {
  readonly flags: Flags
  readonly config: Config
  readonly period: Period
}

async function run(invocation: Invocation): Promise<void> {
  const { flags, config, output, period, state, signal } = invocation
  const systems = flags.system === undefined ? config.systems : [chooseSystem(config.systems, flags.system)]
  const { source, label: labels = {} } = flags
  await using listed = await connect({ systems, chosen: flags.pool, signal })
  const nowSeconds = Math.floor(Date.now() / 1000)
  const options = { source, period, nowSeconds, earlier: state?.settings, signal }
  const plan = await planSources(listed.systems, options)
  const settings = {
    period,
    sources: plan.sources.map(({ key }) => key),
    destination: output.name,
    labels,
  }
  const changed = state && difference(state.settings, settings)
  if (changed !== undefined) throw new CommandError(`--resume: the earlier run had ${changed}`, EXIT.usage)
  await writeHistory({ ...invocation, settings, plan, requests: listed.requests })
}

/** The period of the flags, extended to multiples of the interval. @throws {CommandError} usage error */
function periodOf({ from, to, interval }: Flags): Period {
  const now = Math.floor(Date.now() / 1000)
  const end = Math.min(to ?? now, now)
  if (from === undefined) throw new CommandError('backfill needs --from, such as --from=-30d', EXIT.usage)
  if (from >= end) throw new CommandError('--from must be earlier than --to and than now', EXIT.usage)
  return {
    start: Math.floor(from / interval) * interval,
    end: Math.ceil(end / interval) * interval,
    interval,
  }
}

interface PlannedRun {
  readonly settings: RunSettings
  readonly output: Output
  readonly plan: Plan
  readonly state: RunState | undefined
  /** Number of requests sent so far. */
  readonly requests: () => number
  readonly reporter: BackfillReporter
  readonly signal: AbortSignal
}

/** Reads and writes what is planned. @throws {CommandError} if it is not complete */
async function writeHistory(run: PlannedRun): Promise<void> {
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
function checkGaps({ unreadGaps }: RunState): void {
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

type BackfillReporter = ReturnType<typeof createReporter>

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
