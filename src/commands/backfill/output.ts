import { statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { InvalidArgumentError } from 'commander'
import type { Period } from '../../api/history/history.ts'
import {
  type Destination,
  openFileDestination,
  type SpooledSeries,
} from '../../history/output/destination.ts'
import {
  createReceiver,
  createRemoteDestination,
  type ReceiverOptions,
} from '../../history/remote_write/remote_destination.ts'
import { holdLock, LockedError, loadState, type RunState } from '../../history/run/journal.ts'
import { fileTypeProblem, readTextFile } from '../../values/files.ts'
import { HEADER_NAME, HEADER_VALUE } from '../../values/headers.ts'
import { passwordFromText, type Secret, tokenFromText } from '../../values/secret.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { type FlagsOf, type FlagTable, parseHttpUrl } from '../cli/flags/table.ts'
import { shellWord } from '../cli/output/width.ts'

/** Set from other flags, or by the protocol. */
const OWN_HEADERS = ['authorization', 'content-type', 'content-encoding', 'content-length', 'host']

function collectHeader(text: string, before: Readonly<Record<string, string>> = {}) {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value) || OWN_HEADERS.includes(name.toLowerCase())) {
    throw new InvalidArgumentError('Expected NAME=VALUE of a header that has no flag of its own.')
  }
  return { ...before, [name]: value }
}

/** Where the samples go. There is no flag for a password or token, because every local user can read command lines. */
export const OUTPUT_FLAGS = {
  '--output <file>': 'write an OpenMetrics file',
  '--journal <file>': 'journal of a run with remote write, for --resume',
  '--remote-write.url <url>': 'send the samples to this receiver of remote write 1.0',
  '--remote-write.username <name>': 'user of basic authentication',
  '--remote-write.password-file <file>': 'file with the password of the user',
  '--remote-write.bearer-token-file <file>': 'file with a bearer token',
  '--remote-write.header <name=value>': {
    description: 'additional header, such as X-Scope-OrgID=storage; may be repeated',
    parse: collectHeader,
  },
  '--remote-write.ca-file <file>': 'CA certificates (PEM) of the receiver',
  '--remote-write.cert-file <file>': 'client certificate (PEM)',
  '--remote-write.key-file <file>': 'key of the client certificate (PEM)',
  '--remote-write.server-name <name>': 'name in the certificate of the receiver',
  '--remote-write.insecure-skip-verify': 'accept every certificate of the receiver',
} as const satisfies FlagTable
type OutputFlags = FlagsOf<typeof OUTPUT_FLAGS>

/** Where the samples go, as chosen by flags. */
export interface Output {
  /** For messages and the journal. */
  readonly name: string
  /** Undefined: the run cannot be resumed. */
  readonly journalFile?: string | undefined
  /** Whether the file is there, which this run would replace. @throws {CommandError} for what cannot be replaced */
  exists?(): boolean
  /** Creates what is needed in the file system. @param saved what an earlier process has saved */
  open(saved: readonly SpooledSeries[]): Promise<Destination>
  /** The folder with what a run has saved. */
  readonly spoolFolder?: string
  /** How to import the result; empty where nothing is left to do. */
  importSteps(period: Period): string
}

/** @throws {CommandError} usage error, without exactly one output */
export function chooseOutput(flags: OutputFlags): Output {
  const { output, journal } = flags
  const url = flags['remoteWrite.url']
  if (output === undefined && url !== undefined) return toReceiver(flags, url)
  if (output === undefined || url !== undefined)
    throw new CommandError('choose one output: --output or --remote-write.url', EXIT.usage)
  if (journal !== undefined) throw new CommandError('--journal needs --remote-write.url', EXIT.usage)
  return toFile(output)
}

function toReceiver(flags: OutputFlags, url: string): Output {
  const receiver = receiverOptions(flags, url)
  return {
    name: `${receiver.url.origin}${receiver.url.pathname}`,
    journalFile: flags.journal,
    open: async () => createRemoteDestination(createReceiver(receiver)),
    importSteps: () => '',
  }
}

function toFile(path: string): Output {
  const spoolFolder = `${path}.spool`
  return {
    name: path,
    journalFile: `${path}.journal`,
    spoolFolder,
    exists: () => isReplaceable(path),
    open: (saved) => openFileDestination(path, spoolFolder, saved),
    importSteps: (period) => importCommands(path, period),
  }
}

/**
 * Whether the path is a regular file. The finished file takes its place, so a device such as /dev/null would be replaced.
 * @throws {CommandError} for anything else
 */
function isReplaceable(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  const problem = stats && fileTypeProblem(stats)
  if (problem !== undefined) throw new CommandError(`${path} cannot be written: ${problem}`)
  return stats !== undefined
}

/** Holds the journal for this process. @throws {CommandError} while another process does */
export async function lockJournal(output: Output): Promise<AsyncDisposable | undefined> {
  const { journalFile } = output
  if (journalFile === undefined) return undefined
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
    const outputs = 'a file, or remote write with --journal'
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
export async function prepareNew(output: Output, force: boolean): Promise<void> {
  const { journalFile } = output
  const isThere = output.exists?.() === true
  const state = force || journalFile === undefined ? undefined : await loadState(journalFile)
  if (state?.isFinished === false)
    throw new CommandError(
      `${journalFile} is of a run that did not finish: continue it with --resume, or begin anew with --force`,
    )
  if (isThere && !force)
    throw new CommandError(`${output.name} exists: choose another output, or replace it with --force`)
  await removeSpool(output)
}

/** For a run that is finished or begins anew: one that was killed may have left its files. */
export async function removeSpool({ spoolFolder }: Output): Promise<void> {
  if (spoolFolder !== undefined) await rm(spoolFolder, { recursive: true, force: true })
}

const MINUTE = 60
const MAX_BLOCK_HOURS = 744
/** promtool evaluates a rule for a whole block in one query. Prometheus refuses more than 11,000 steps, here of a minute. */
const RULE_BLOCK_HOURS = 162

/**
 * The commands that import the file into Prometheus. By default promtool makes a block of every two hours and reads
 * the whole file for each of them, so longer blocks are much faster.
 */
function importCommands(path: string, { start, end, interval }: Period): string {
  const step = Math.max(interval, MINUTE)
  return `# Import into Prometheus. Replace DATA by its --storage.tsdb.path and URL by its URL. Its retention
# (--storage.tsdb.retention.time) must be longer than the history, or it removes the blocks.
mkdir -p blocks rule-blocks
promtool tsdb create-blocks-from --max-block-duration=${MAX_BLOCK_HOURS}h openmetrics ${shellWord(path)} blocks
mv blocks/* DATA/
# Prometheus reads new blocks within a minute. After that, the history of the recording rules:
promtool tsdb create-blocks-from --max-block-duration=${RULE_BLOCK_HOURS}h rules --url=URL --start=${start} --end=${end} --eval-interval=${step}s --output-dir=rule-blocks sds-recording.yml
mv rule-blocks/* DATA/
`
}

/** @throws {CommandError} usage error, for flags that do not fit together; failure, for files that cannot be read */
function receiverOptions(flags: OutputFlags, url: string): ReceiverOptions {
  const pem = (file: string | undefined) => (file === undefined ? undefined : contentOf(file, 'pem'))
  const headers = { ...flags['remoteWrite.header'], ...authorization(flags) }
  if ((flags['remoteWrite.certFile'] === undefined) !== (flags['remoteWrite.keyFile'] === undefined))
    throw new CommandError('--remote-write.cert-file and --remote-write.key-file need each other', EXIT.usage)
  return {
    url: parseHttpUrl('--remote-write.url', url),
    headers,
    tls: {
      ca: pem(flags['remoteWrite.caFile']),
      cert: pem(flags['remoteWrite.certFile']),
      key: pem(flags['remoteWrite.keyFile']),
      servername: flags['remoteWrite.serverName'],
      rejectUnauthorized: flags['remoteWrite.insecureSkipVerify'] !== true,
    },
  }
}

function authorization(flags: OutputFlags): Readonly<Record<string, string>> {
  const username = flags['remoteWrite.username']
  const passwordFile = flags['remoteWrite.passwordFile']
  const tokenFile = flags['remoteWrite.bearerTokenFile']
  if ((username === undefined) !== (passwordFile === undefined))
    throw new CommandError(
      '--remote-write.username and --remote-write.password-file need each other',
      EXIT.usage,
    )
  if (username !== undefined && tokenFile !== undefined)
    throw new CommandError('choose basic or bearer authentication', EXIT.usage)
  if (tokenFile !== undefined)
    return { Authorization: `Bearer ${secretIn(tokenFile, tokenFromText).reveal()}` }
  if (username === undefined || passwordFile === undefined) return {}
  const password = secretIn(passwordFile, passwordFromText).reveal()
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

function secretIn(file: string, make: (text: string) => Secret | string): Secret {
  const secret = make(contentOf(file, 'secret'))
  if (typeof secret === 'string') throw new CommandError(`the secret in ${file} ${secret}`)
  return secret
}

function contentOf(file: string, kind: 'pem' | 'secret'): string {
  const read = readTextFile(file, kind)
  if ('problem' in read) throw new CommandError(`${file} ${read.problem}`)
  return read.text
}
