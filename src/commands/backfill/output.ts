import { existsSync, statSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Period } from '../../api/history/series.ts'
import type { Destination } from '../../history/backfill.ts'
import { createFolder } from '../../history/create_folder.ts'
import { createFileDestination } from '../../history/file_destination.ts'
import { loadState, type RunState } from '../../history/journal.ts'
import { daysOf, type Part } from '../../history/periods.ts'
import { createReceiver } from '../../history/remote_write/receiver.ts'
import { createRemoteDestination } from '../../history/remote_write/remote_destination.ts'
import { fileTypeProblem } from '../../values/files.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { importCommands } from './import_commands.ts'
import { type RemoteFlags, receiverOptions } from './remote_flags.ts'

export interface OutputFlags extends RemoteFlags {
  readonly output?: string
  readonly outputDir?: string
  /** File of the journal, for remote write. */
  readonly journal?: string
}

/** Where the samples go, as chosen by flags. */
export interface Output {
  /** For messages and the journal. */
  readonly name: string
  /** Undefined: the run cannot be resumed. */
  readonly journalFile: string | undefined
  partsOf(period: Period): readonly Part[]
  /** Creates what is needed in the file system. */
  open(): Promise<Destination>
  /** What to do with the result; empty if nothing remains to be done. */
  nextSteps(period: Period): string
}

/** @throws {Failed} usage error, without exactly one output */
export function chooseOutput(flags: OutputFlags): Output {
  const { output, outputDir, journal } = flags
  const url = flags['remoteWrite.url']
  const chosen = [output, outputDir, url].filter((flag) => flag !== undefined)
  if (chosen.length !== 1)
    throw new Failed('choose one output: --output, --output-dir or --remote-write.url', EXIT.usage)
  if (url !== undefined) return toReceiver(flags, url)
  if (journal !== undefined) throw new Failed('--journal needs --remote-write.url', EXIT.usage)
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
    nextSteps: () => '',
  }
}

const whole = (period: Period): readonly Part[] => [{ name: 'all', period }]

function toStdout(): Output {
  return {
    name: 'stdout',
    journalFile: undefined,
    partsOf: whole,
    async open() {
      const spoolFolder = await mkdtemp(join(tmpdir(), 'sds-exporter-backfill-'))
      return createFileDestination({ target: () => process.stdout, spoolFolder, skipEmpty: false })
    },
    nextSteps: () => '',
  }
}

function toFile(path: string): Output {
  return {
    name: path,
    journalFile: `${path}.journal`,
    partsOf: whole,
    async open() {
      // The finished file takes its place, so a device such as /dev/null would be replaced.
      const problem = existsSync(path) ? fileTypeProblem(statSync(path)) : undefined
      if (problem !== undefined) throw new Failed(`${path} cannot be written: ${problem}`)
      return createFileDestination({ target: () => path, spoolFolder: `${path}.spool`, skipEmpty: false })
    },
    nextSteps: (period) => importCommands({ kind: 'file', path }, period),
  }
}

function toFolder(path: string): Output {
  return {
    name: path,
    journalFile: join(path, 'backfill.journal'),
    partsOf: daysOf,
    async open() {
      createFolder(path)
      const target = ({ name }: Part) => join(path, `${name}.om`)
      return createFileDestination({ target, spoolFolder: join(path, 'backfill.spool'), skipEmpty: true })
    },
    nextSteps: (period) => importCommands({ kind: 'folder', path }, period),
  }
}

/**
 * The state of an earlier run, to be continued.
 * @throws {Failed} for an unfinished run without --resume, and for --resume without a run
 */
export async function earlierState({ journalFile }: Output, resume: boolean): Promise<RunState | undefined> {
  if (journalFile === undefined) {
    if (resume) {
      const outputs = 'a file, a folder, or remote write with --journal'
      throw new Failed(`--resume needs an output with a journal: ${outputs}`, EXIT.usage)
    }
    return undefined
  }
  if (resume && !existsSync(journalFile)) throw new Failed(`there is nothing to resume: no ${journalFile}`)
  const state = await loadState(journalFile)
  if (resume || state === undefined || state.isFinished) return resume ? state : undefined
  throw new Failed(
    `${journalFile} is of a run that did not finish: continue it with --resume, or remove this file to begin anew`,
  )
}
