import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Period } from '../../api/history/series.ts'
import { createFolder } from '../../history/output/create_folder.ts'
import { createFileDestination, type Destination } from '../../history/output/destination.ts'
import { type BackfillPart, daysOf } from '../../history/periods.ts'
import { createReceiver } from '../../history/remote_write/receiver.ts'
import { createRemoteDestination } from '../../history/remote_write/remote_destination.ts'
import { holdLock, LockedError, loadState, type RunState } from '../../history/run/journal.ts'
import { fileTypeProblem } from '../../values/files.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import type { FlagsOf, FlagTable } from '../cli/flags/table.ts'
import { shellWord } from '../cli/output/width.ts'
import { type RemoteFlags, receiverOptions } from './remote_flags.ts'

export const OUTPUT_FLAGS = {
  '--output <file>': 'write one OpenMetrics file; - is stdout',
  '--output-dir <folder>': 'write one OpenMetrics file for each day (UTC) into this folder',
} as const satisfies FlagTable
type OutputFlags = FlagsOf<typeof OUTPUT_FLAGS> & RemoteFlags & { readonly journal?: string }

/** Where the samples go, as chosen by flags. */
export interface Output {
  /** For messages and the journal. */
  readonly name: string
  /** Undefined: the run cannot be resumed. */
  readonly journalFile?: string | undefined
  partsOf(period: Period): readonly BackfillPart[]
  /** The files of earlier runs that this one would replace. @throws {CommandError} for what cannot be replaced */
  existing?(period: Period): readonly string[]
  /** Creates what is needed in the file system. */
  open(): Promise<Destination>
  /** Creates the folder of the journal. */
  prepare?(): void
  /** The folder with what a run has saved. */
  readonly spoolFolder?: string
  /** How to import the result; empty where nothing is left to do. */
  importSteps(period: Period): string
}

/** @throws {CommandError} usage error, without exactly one output */
export function chooseOutput(flags: OutputFlags): Output {
  const { output, outputDir, journal } = flags
  const url = flags['remoteWrite.url']
  const chosen = [output, outputDir, url].filter((flag) => flag !== undefined)
  if (chosen.length !== 1)
    throw new CommandError('choose one output: --output, --output-dir or --remote-write.url', EXIT.usage)
  if (url !== undefined) return toReceiver(flags, url)
  if (journal !== undefined) throw new CommandError('--journal needs --remote-write.url', EXIT.usage)
  if (outputDir !== undefined) return toFolder(outputDir)
  return output === undefined || output === '-' ? toStdout() : toFile(output)
}

function toReceiver(flags: OutputFlags, url: string): Output {
  const receiver = receiverOptions(flags, url)
  return {
    name: `${receiver.url.origin}${receiver.url.pathname}`,
    journalFile: flags.journal,
    partsOf: whole,
    open: async () => createRemoteDestination(createReceiver(receiver)),
    importSteps: () => '',
  }
}

const whole = (period: Period): readonly BackfillPart[] => [{ name: 'all', period }]

function toStdout(): Output {
  return {
    name: 'stdout',
    partsOf: whole,
    async open() {
      const spoolFolder = await mkdtemp(join(tmpdir(), 'sds-exporter-backfill-'))
      return createFileDestination({ target: () => process.stdout, spoolFolder, skipEmpty: false })
    },
    importSteps: () => '',
  }
}

function toFile(path: string): Output {
  const spoolFolder = `${path}.spool`
  return {
    name: path,
    journalFile: `${path}.journal`,
    spoolFolder,
    partsOf: whole,
    existing: () => existingFiles([path]),
    open: async () => createFileDestination({ target: () => path, spoolFolder, skipEmpty: false }),
    importSteps: (period) => importCommands('file', path, period),
  }
}

/** The finished file takes the place of an earlier one, so a device such as /dev/null would be replaced. */
function existingFiles(paths: readonly string[]): readonly string[] {
  const found = paths.filter((path) => existsSync(path))
  for (const path of found) {
    const problem = fileTypeProblem(statSync(path))
    if (problem !== undefined) throw new CommandError(`${path} cannot be written: ${problem}`)
  }
  return found
}

function toFolder(path: string): Output {
  const spoolFolder = join(path, 'backfill.spool')
  const target = ({ name }: BackfillPart) => join(path, `${name}.om`)
  return {
    name: path,
    journalFile: join(path, 'backfill.journal'),
    spoolFolder,
    prepare: () => createFolder(path),
    partsOf: daysOf,
    existing: (period) => existingFiles(daysOf(period).map(target)),
    open: async () => createFileDestination({ target, spoolFolder, skipEmpty: true }),
    importSteps: (period) => importCommands('folder', path, period),
  }
}

/** Holds the journal for this process. @throws {CommandError} while another process does */
export async function lockJournal(output: Output): Promise<AsyncDisposable | undefined> {
  const { journalFile } = output
  if (journalFile === undefined) return undefined
  output.prepare?.()
  try {
    return await holdLock(`${journalFile}.lock`)
  } catch (failure) {
    throw failure instanceof LockedError ? new CommandError(failure.message) : failure
  }
}

/**
 * The state of an earlier run, to be continued. It has its period, because `--from=-30d` is another time now.
 * @throws {CommandError} for --resume without a run, and with another interval
 */
export async function earlierState({ journalFile }: Output, interval: number): Promise<RunState> {
  if (journalFile === undefined) {
    const outputs = 'a file, a folder, or remote write with --journal'
    throw new CommandError(`--resume needs an output with a journal: ${outputs}`, EXIT.usage)
  }
  const state = await loadState(journalFile)
  if (state === undefined) throw new CommandError(`there is nothing to resume: no ${journalFile}`)
  const earlier = state.settings.period.interval
  if (earlier !== interval)
    throw new CommandError(`--resume: the earlier run had another interval, ${earlier} s`, EXIT.usage)
  return state
}

/**
 * Prepares the output of a new run, which replaces nothing without `force`.
 * @throws {CommandError} for an unfinished run, and for existing files
 */
export async function prepareNew(output: Output, period: Period, force: boolean): Promise<void> {
  const { journalFile } = output
  const [existing] = output.existing?.(period) ?? []
  const state = force || journalFile === undefined ? undefined : await loadState(journalFile)
  if (state?.isFinished === false)
    throw new CommandError(
      `${journalFile} is of a run that did not finish: continue it with --resume, or begin anew with --force`,
    )
  if (existing !== undefined && !force)
    throw new CommandError(`${existing} exists: choose another output, or replace it with --force`)
  await removeSpool(output)
}

/** For a run that is finished or begins anew: one that was killed may have left parts that are complete. */
export async function removeSpool({ spoolFolder }: Output): Promise<void> {
  if (spoolFolder !== undefined) await rm(spoolFolder, { recursive: true, force: true })
}

const MINUTE = 60
const MAX_BLOCK_HOURS = 744
/** promtool evaluates a rule for a whole block in one query. Prometheus refuses more than 11,000 steps, here of a minute. */
const RULE_BLOCK_HOURS = 162

/**
 * The commands that import the files into Prometheus. By default promtool makes a block of every two hours and reads
 * the whole file for each of them, so longer blocks are much faster.
 */
function importCommands(kind: 'file' | 'folder', path: string, { start, end, interval }: Period): string {
  const blocks = `promtool tsdb create-blocks-from --max-block-duration=${kind === 'file' ? MAX_BLOCK_HOURS : 6}h`
  const create =
    kind === 'file'
      ? `${blocks} openmetrics ${shellWord(path)} blocks`
      : `for file in ${shellWord(path)}/*.om; do ${blocks} openmetrics "$file" blocks; done`
  const step = Math.max(interval, MINUTE)
  return `# Import into Prometheus. Replace DATA by its --storage.tsdb.path and URL by its URL. Its retention
# (--storage.tsdb.retention.time) must be longer than the history, or it removes the blocks.
mkdir -p blocks rule-blocks
${create}
mv blocks/* DATA/
# Prometheus reads new blocks within a minute. After that, the history of the recording rules:
promtool tsdb create-blocks-from --max-block-duration=${RULE_BLOCK_HOURS}h rules --url=URL --start=${start} --end=${end} --eval-interval=${step}s --output-dir=rule-blocks sds-recording.yml
mv rule-blocks/* DATA/
`
}
