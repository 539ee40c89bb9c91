import { existsSync } from 'node:fs'
import { Command } from 'commander'
import type { ReceivedExchange, SystemClient } from '../api/client.ts'
import { ApiError, isOfSystem } from '../api/errors/errors.ts'
import { secretsIn } from '../api/http/credentials.ts'
import { createPastReader } from '../api/query/past_reader.ts'
import { decodeVersions, readRangeDefect, VERSION_PATH } from '../api/query/requests/version.ts'
import type { SystemConfig } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { readVersion } from '../exporter/version.ts'
import { type RecordedExchange, type Recording, recordingLines } from '../recording/format.ts'
import { type ForbiddenText, findLeaks } from '../recording/leaks.ts'
import { createRedactor } from '../recording/redactor.ts'
import { bytesText, counted, namesText, shortened, visibleText } from '../text.ts'
import { MS_PER_SECOND, timeText } from '../time_units.ts'
import { CommandError, EXIT } from './cli/exit.ts'
import { addConfigFile, type ConfigFileFlag } from './cli/flags/config_file.ts'
import { addFlags, type FlagsOf, type FlagTable, parseFilePath } from './cli/flags/table.ts'
import { interruptible } from './cli/lifetime.ts'
import { createProgress } from './cli/output/width.ts'
import { writeOutputFile } from './cli/output/written_files.ts'
import { chooseSystem, createCommandClient, pollOnce, withQueries } from './cli/systems.ts'

const FLAGS = {
  '--system <name>': 'the system, if several are configured',
  '--output <file>': { description: 'file to write', parse: parseFilePath },
  '--force': 'replace an existing file',
  '--keep-names': 'keep the names of pools, nodes, namespaces and the like; secrets are never kept',
} as const satisfies FlagTable

const HELP = `
Polls a system once, as the exporter does, within the limits of the
configuration, and writes requests and responses to a file (JSON lines): list of
pools, nodes with current values, forecasts and the history of the last hour of
each pool, the queries, and all resources with a schedule.
Refusals are recorded, too. The role SYSTEM_MONITOR suffices.

Texts of the system are replaced before anything is written: names, ids,
addresses, serial numbers and free text become stand-ins such as pool-1, the
same one for the same text; the UUIDs are made with a key that is not kept.
Passwords, tokens, keys and licence text are dropped. Numbers, units, versions,
times, statuses, known names of members, and the shape of the responses stay.
At the end, the recording is searched for every secret, host and user of the
configuration and for every replaced text; if one is found, nothing is written.

Read the file before you send it, for example all its texts:
  jq -r '.. | strings' system.jsonl | sort -u
Replay it:
  sds-exporter emulate --from=system.jsonl

Ctrl+C ends the requests, and writes what was recorded.

Exit codes: 0 success; 1 failed, interrupted, or nothing was written; 2 usage
error.`

export function captureCommand(): Command {
  const command = addConfigFile(
    new Command('capture').description('record anonymised API responses for a bug report'),
  )
  return addFlags(command, FLAGS).addHelpText('after', HELP).action(capture)
}

type Flags = ConfigFileFlag & FlagsOf<typeof FLAGS>

async function capture(flags: Flags): Promise<void> {
  const { system: name, output, keepNames = false, force = false } = flags
  if (output === undefined) throw new CommandError('capture needs --output', EXIT.usage)
  if (!force && existsSync(output))
    throw new CommandError(`${output} exists: choose another output, or replace it with --force`)
  const config = loadConfig(flags['config.file'], process.env, { system: name })
  const system = chooseSystem(config.systems, name)
  const recording = createSystemRecording(system, keepNames)
  const failure = await send(recording)
  if (recording.counts().requests === 0)
    throw failure ?? new CommandError('interrupted: nothing was recorded')
  const complete = failure === undefined
  const program = `sds-exporter ${readVersion()}`
  const { lines, leaks } = recording.finish({ program, complete })
  if (leaks.length > 0) throw new CommandError(leakText(leaks))
  const text = `${lines.join('\n')}\n`
  writeOutputFile(output, text)
  process.stdout.write(reportText(output, Buffer.byteLength(text), recording))
  if (failure !== undefined)
    throw new CommandError(`the recording is not complete: ${visibleText(failure.message)}`)
}

/** Why not every request was sent; undefined if all were. @throws what is neither an interruption nor of a system */
async function send(recording: SystemRecording): Promise<Error | undefined> {
  const progress = createProgress(process.stderr)
  const onStep = (title: string) =>
    progress.show(`${counted(recording.counts().requests, 'request')} recorded; ${title} …`)
  try {
    await interruptible((signal) => recording.send({ signal, onStep }))
    return undefined
  } catch (failure) {
    const isInterrupted = failure instanceof Error && failure.message === 'interrupted'
    if (failure instanceof ApiError || isInterrupted) return failure
    throw failure
  } finally {
    progress.clear()
  }
}

function leakText(leaks: readonly ForbiddenText[]): string {
  const found = [...new Set(leaks.map(({ what }) => what))].join(', ')
  return `nothing was written: the recording would have ${found}; this is an error of sds-exporter, please report it`
}

const MAX_NAMES = 20
const MAX_NAME_CHARACTERS = 60

function reportText(file: string, bytes: number, { counts, redactor }: SystemRecording): string {
  const { requests, refused, failed } = counts()
  const unknown = [...redactor.unknownMembers()]
  const names = namesText(unknown, (name) => visibleText(shortened(name, MAX_NAME_CHARACTERS)), MAX_NAMES)
  const lines = [
    `wrote ${file}: ${counted(requests, 'request')}, ${refused} refused, ${failed} without a response; ${bytesText(bytes)}`,
    `${counted(redactor.standIns.replaced().size, 'text')} replaced`,
    ...(unknown.length === 0
      ? []
      : [
          `${counted(unknown.length, 'name')} of members that are not known, replaced in the file: ${names}`,
          'If they are names of the product, add them to your report.',
        ]),
    `Read it before you send it: jq -r '.. | strings' ${file} | sort -u`,
  ]
  return `${lines.join('\n')}\n`
}

interface SendOptions {
  readonly signal: AbortSignal
  /** Called before each group of requests. */
  readonly onStep: (title: string) => void
}

/** Length of the recorded history, in seconds before now, and of its intervals. */
const HISTORY_SECONDS = 3600
const INTERVAL_SECONDS = 300

/**
 * Polls a system once, as the exporter does, and reads its history. What fails is recorded by the client, and the other
 * requests are sent nevertheless.
 * @throws the reason of the signal when it is aborted; ApiError if nothing can be reached
 */
async function sendAll(system: SystemConfig, client: SystemClient, options: SendOptions): Promise<void> {
  const { signal, onStep } = options
  onStep('list of pools')
  await attempted(() => client.pools(signal), signal)
  onStep('nodes, resources and queries')
  const { pools, performance } = await pollOnce(withQueries(system), client, signal)
  onStep('history')
  const now = Date.now() / MS_PER_SECOND
  const end = Math.floor(now / INTERVAL_SECONDS) * INTERVAL_SECONDS
  const start = end - HISTORY_SECONDS
  const period = { start, end, interval: INTERVAL_SECONDS }
  for (const pool of pools.keys()) await attempted(() => client.history(pool, period, signal), signal)
  if (performance?.reading === undefined || (await readRangeDefect(client.resource, signal)) === true) return
  const { interfaces } = system.performance
  const past = createPastReader({ interfaces, query: client.query, nowSeconds: Math.floor(now) })
  await attempted(() => past.read({ start, stop: end }, signal), signal)
}

/** A refusal is recorded, and does not end the requests. */
async function attempted(task: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await task()
  } catch (failure) {
    signal.throwIfAborted()
    // Without a connection or a session, each further request would fail, too, perhaps after a timeout.
    if (!(failure instanceof ApiError) || failure.reason === 'auth') throw failure
    if (isOfSystem(failure) && failure.status === undefined) throw failure
  }
}

export type SystemRecording = ReturnType<typeof createSystemRecording>

export function createSystemRecording(system: SystemConfig, keepsNames: boolean) {
  const recorded = new Map<string, RecordedExchange>()
  /** What is not even kept in names: texts of the configuration, and the secrets that were sent so far. */
  const forbidden = namesOf(system)
  const isSecret = (text: string) => forbidden.some((one) => text.includes(one.text))
  const redactor = createRedactor({ keepsNames, isSecret })

  function received(exchange: ReceivedExchange): void {
    for (const text of secretsIn(exchange.headers))
      if (!forbidden.some((one) => one.text === text)) forbidden.push({ text, what: 'a password or token' })
    const { operation, path, query = '', body = '' } = exchange
    if (operation === 'login' || operation === 'logout') return
    const key = JSON.stringify([path, query, body])
    // A repeated request replaces one that was refused or failed.
    if (recorded.get(key)?.status !== 200) recorded.set(key, redactor.exchange(exchange))
  }

  return {
    redactor,
    /** `refused`: responses with another status than 200; `failed`: requests without a whole response. */
    counts() {
      const exchanges = [...recorded.values()]
      const failed = exchanges.filter(({ failure }) => failure !== undefined).length
      const answered = exchanges.filter(({ status }) => status === 200).length
      return { requests: exchanges.length, refused: exchanges.length - answered - failed, failed }
    },
    /** Sends the requests and logs out. @throws as {@link sendAll}; what was answered before is recorded */
    async send(options: SendOptions): Promise<void> {
      const client = createCommandClient(system, { received })
      try {
        await sendAll(system, client, options)
      } finally {
        await client.close()
      }
    },
    /** The lines of the recording, and the texts that must not be in it and are. */
    finish(header: Pick<Recording['header'], 'program' | 'complete'>) {
      const exchanges = [...recorded.values()]
      const lines = recordingLines({
        header: {
          ...header,
          recording: 1,
          recorded_at: timeText(Date.now() / MS_PER_SECOND),
          names: keepsNames ? 'kept' : 'replaced',
          versions: versionsIn(exchanges),
        },
        exchanges,
      })
      const { replaced, isStandIn } = redactor.standIns
      const texts = [...replaced().keys()].map((text) => ({ text, what: 'a replaced text' }))
      return { lines, leaks: findLeaks(lines, [...forbidden, ...texts], isStandIn) }
    },
  }
}

function namesOf({ name, auth, baseUrls, tls, resources }: SystemConfig): ForbiddenText[] {
  const allTls = [tls, ...Object.values(resources).flatMap(({ dataPort }) => dataPort?.tls ?? [])]
  const hosts = [
    ...baseUrls.map((url) => new URL(url).hostname.replaceAll(/[[\]]/g, '')),
    ...allTls.flatMap(({ serverName }) => serverName ?? []),
  ]
  return [
    { text: name, what: 'the name of the system' },
    ...('username' in auth ? [{ text: auth.username, what: 'the user name' }] : []),
    ...hosts.map((text) => ({ text, what: 'a host of base_url or tls_config' })),
  ].filter(({ text }) => text !== '')
}

function versionsIn(exchanges: readonly RecordedExchange[]): string[] {
  const versions = exchanges
    .filter(({ request, status }) => request.path === VERSION_PATH && status === 200)
    .flatMap(({ body }) => decodeVersions(body))
  return [...new Set(versions)]
}
