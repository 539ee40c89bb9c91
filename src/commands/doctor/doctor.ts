import { addAbortListener } from 'node:events'
import { existsSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { configuredPools } from '../../api/resources/pool_list.ts'
import type { Config, OtlpConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { systemRisks } from '../../exporter/risks.ts'
import { readVersion } from '../../exporter/version.ts'
import { failedLocally } from '../../otlp/outcomes.ts'
import { createSender } from '../../otlp/sender.ts'
import { counted, visibleLines, visibleText } from '../../text.ts'
import { type ReadText, readTextFile } from '../../values/files.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { addConfigFile, type ConfigFileFlag } from '../cli/flags/config_file.ts'
import { addFlags, type FlagsOf, type FlagTable, parseFilePath, parseRootUrl } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress, type Progress, terminalWidth, wrapped } from '../cli/output/width.ts'
import { chooseSystem } from '../cli/systems.ts'
import {
  allOf,
  type CheckReport,
  createChecks,
  type Finding,
  filled,
  type Running,
  type Status,
  type SystemContext,
} from './check/check.ts'
import { createPrometheusClient, examinePrometheus } from './services/prometheus.ts'
import { checkConnections, checkNames } from './system/connection.ts'
import {
  ageFindings,
  attributeFindings,
  healthFindings,
  queryFindings,
  resourceFindings,
} from './system/findings.ts'
import { checkHttp, checkLogin, clockFindings, roleFindings } from './system/login.ts'
import { checkForecasts, checkPools, checkReading, pollForChecks } from './system/poll.ts'

const FLAGS = {
  '--prometheus.url <url>': 'URL of Prometheus, to check scraping and rules too',
  '--test-alert': 'with --prometheus.url: send an alert to each Alertmanager of Prometheus',
  '--system <name>': 'only this system; problems that other systems have in the file are ignored',
  '--save-certificate <file>': {
    description: 'write the root certificates of the system to this file, for tls_config.ca_file',
    parse: parseFilePath,
  },
  '--json': 'print the findings as a JSON object',
} as const satisfies FlagTable
type Flags = ConfigFileFlag & FlagsOf<typeof FLAGS>

/** Limit of all checks together, without the logout. */
const MAX_MS = 120_000
const READING_PAUSE_MS = 3000

const HELP = `
Checks every system from this machine, and prints problems with their remedies:
  configuration  readable secrets, disabled certificate verification, schedules
                 that cause gaps
  names          DNS lookup of the host names in base_url
  connection     TCP and TLS: issuer, names and remaining days of the
                 certificate
  http           whether the management API responds at base_url
  clock          clock skew between the system and this machine
  login          login, or validity of the token
  role           whether the account has SYSTEM_MONITOR and no other role
  pools          configured pools compared with the pools of the system
  feed           one poll of each pool, and values in it that are invalid
  health         nodes that are not in a good state, and unknown states
  attributes     attributes that are available in one of the APIs, by
                 category; explains empty panels
  query          whether the Flux API is available, and what it has; its
                 bandwidths compared with those of the dashboard API
  samples        age of the newest sample, by category
  values         values compared with those of a second response
  forecasts      whether the system serves forecasts
  resources      whether the other resources of the exporter can be read

With otlp in the configuration also: whether the receiver accepts a request.

With --prometheus.url also: whether Prometheus scrapes the exporter, has all
pools, and whether the rules are loaded, in the version of this program. For
each Alertmanager of Prometheus: whether it is ready, has the inhibition rules,
and a receiver with an integration. With --test-alert, each gets the alert
SdsTestAlert with severity critical, which is sent as any other and resolves
after five minutes; the receivers to which it is routed are checked, too.

With --save-certificate, a file that tls_config.ca_file names and that does not
exist is no problem of the configuration. An existing file is replaced if it has
no more certificates than the system has addresses.

Each system gets one login (which counts as a failed attempt if it is refused),
one logout, for each pool two requests and one per time frame of its forecasts,
about eight to its Flux API, and those of its resources, within the limits of
the configuration. The checks take at most two minutes. Secrets are not printed.

With --json, an object is written to stdout at the end:
  summary   number of findings by status: ok, info, warn, fail, skip
  findings  scope (system, otlp or prometheus), system, check, status, subject,
            text and remedy of each finding; those that it does not have
            are null

Exit codes: 0 no check failed (there may be warnings); 1 a check failed; 2 usage
error.`

export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'check the configuration and the connection to the systems; print problems and remedies',
  )
  return addFlags(addConfigFile(command), FLAGS).addHelpText('after', HELP).action(examine)
}

async function examine(flags: Flags): Promise<void> {
  const { 'prometheus.url': url, testAlert: sendsTestAlert = false } = flags
  const prometheus = url === undefined ? undefined : parseRootUrl('--prometheus.url', url)
  if (sendsTestAlert && prometheus === undefined)
    throw new CommandError('--test-alert needs --prometheus.url, which names the Alertmanagers', EXIT.usage)
  const { 'config.file': file, system } = flags
  const config = loadConfig(file, process.env, { system, read: readUnlessMissing })
  const progress = createProgress(process.stderr)
  const output = createOutput(flags.json ?? false, progress)
  const isInterrupted = await interruptible(async (stop) => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MAX_MS)])
    const shown = (what: string): Running => ({
      signal,
      onCheck: (title) => progress.show(`${what}: ${title} …`),
    })
    const examined = await examineSystems(flags, config.systems, output, shown)
    if (config.otlp !== undefined) output.add(await examinePush(config.otlp, shown('OTLP')))
    if (prometheus !== undefined) {
      const systems = examined.map(({ system, pools }) => ({ name: system.name, pools }))
      const client = createPrometheusClient(prometheus, signal)
      const reports = await examinePrometheus({ client, systems, sendsTestAlert }, shown('Prometheus'))
      output.add({ scope: 'prometheus', headline: 'Prometheus', reports })
    }
    return stop.aborted
  }).finally(progress.clear)
  output.end()
  if (isInterrupted) throw new CommandError('interrupted')
  const failures = output.failures()
  if (failures > 0) throw new CommandError(`${counted(failures, 'failure')}, see above`, EXIT.failed)
}

type Shown = (what: string) => Running

/** All at the same time, and their reports in the order of the file. */
async function examineSystems(
  { system, saveCertificate: certificateFile, 'config.file': configFile }: Flags,
  systems: Config['systems'],
  output: Output,
  shown: Shown,
): Promise<readonly Examination[]> {
  const isOne = system !== undefined || certificateFile !== undefined
  const chosen = isOne ? [chooseSystem(systems, system)] : systems
  const examinations = chosen.map(async (system) => {
    const { signal, onCheck } = shown(system.name)
    const context = { configFile, certificateFile, signal }
    return examineSystem({ ...context, system, readingPauseMs: READING_PAUSE_MS }, onCheck)
  })
  for (const examination of examinations) {
    const { system, reports } = await examination
    output.add({ scope: 'system', system: system.name, headline: `system ${system.name}`, reports })
  }
  return await Promise.all(examinations)
}

/** Sends a request without metrics to the receiver. */
async function examinePush(otlp: OtlpConfig, running: Running): Promise<Section> {
  const { run, reports } = createChecks(running)
  await run('push', {}, async () => {
    const { result, problem = '', remedy } = await sendNothing(otlp, running.signal).catch(failedLocally)
    const text = result === 'ok' ? 'the receiver accepts requests' : `${result}: ${problem}`
    return [{ status: result === 'ok' ? 'ok' : 'fail', subject: otlp.url, text, remedy }]
  })
  return { scope: 'otlp', headline: 'OTLP', reports }
}

const MAX_PUSH_MS = 30_000

async function sendNothing(config: OtlpConfig, signal: AbortSignal) {
  const timeoutMs = Math.min(config.timeoutMs, MAX_PUSH_MS)
  const sender = await createSender({ ...config, timeoutMs }, readVersion())
  using _listener = addAbortListener(signal, sender.close)
  try {
    return await sender.send([])
  } finally {
    sender.close()
  }
}

/** As the exporter, but a `ca_file` may be missing: --save-certificate writes it. The certificate in its place is not used. */
const readUnlessMissing: ReadText = (path, kind) =>
  kind === 'ca' && !existsSync(path) ? { text: rootCertificates[0] ?? '' } : readTextFile(path, kind)

type Examination = Awaited<ReturnType<typeof examineSystem>>

/** Runs all checks of a system and logs out. */
export async function examineSystem(given: SystemContext, onCheck: Running['onCheck']) {
  const context = withoutMissingCa(given)
  const { signal, system } = context
  const { run, reports } = createChecks({ signal, onCheck })
  await run('configuration', {}, () => configurationFindings(context))
  const names = await run('names', {}, () => checkNames(context))
  const connection = await run('connection', { names }, (known) => checkConnections(context, known.names))
  const http = await run('http', { connection }, (known) => checkHttp(context, known.connection))
  const skew = { http: http?.skewSeconds }
  await run('clock', skew, (known) => clockFindings(known.http))
  const login = await run('login', { http: http?.answering }, (known) => checkLogin(context, known.http))
  await run('role', { login }, (known) => roleFindings(known.login.account))
  const pools = await run('pools', { login }, (known) => checkPools(context, known.login.client))
  const feed = await run('feed', { login, pools }, (known) => pollForChecks(context, known.login.client))
  await run('health', { feed }, (known) => healthFindings(known.feed.state))
  await run('attributes', { feed }, (known) => attributeFindings(known.feed.state))
  await run('query', { feed }, (known) => queryFindings(system, known.feed.state))
  await run('samples', { feed, ...skew }, (known) => ageFindings(known.feed.state, known.http))
  await run('values', { login, feed }, (known) => checkReading(context, known.login.client, known.feed))
  await run('forecasts', { login, feed }, (known) =>
    checkForecasts(context, known.login.client, known.feed.state),
  )
  await run('resources', { feed }, (known) => resourceFindings(known.feed.state))
  await login?.client.close()
  return {
    system,
    reports,
    // Pools that are neither listed nor configured are unknown.
    pools: pools ?? configuredPools(system.pools),
  }
}

function withoutMissingCa(context: SystemContext): SystemContext {
  const { system } = context
  const { caFile } = system.tls
  if (caFile === undefined || existsSync(caFile)) return context
  return {
    ...context,
    missingCaFile: caFile,
    system: { ...system, tls: { ...system.tls, caFile: undefined } },
  }
}

/** Warns about risky settings; the configuration has been validated before, apart from `ca_file`. */
function configurationFindings({ system, configFile, missingCaFile }: SystemContext): readonly Finding[] {
  const found = systemRisks(system, configFile).map((risk): Finding => ({ status: 'warn', ...risk }))
  const missing = `tls_config.ca_file: ${missingCaFile} does not exist`
  const problems = [...allOf(undefined, [[missingCaFile !== undefined, 'fail', missing, WRITE_CA]]), ...found]
  return filled(problems) ?? [{ status: 'ok', text: 'no problems found' }]
}

const WRITE_CA = 'correct the path, or write the file: see "connection" below'

const COLOURS: Readonly<Record<Status, 'green' | 'cyan' | 'yellow' | 'red' | 'gray'>> = {
  ok: 'green',
  info: 'cyan',
  warn: 'yellow',
  fail: 'red',
  skip: 'gray',
}

interface Section {
  readonly scope: 'system' | 'otlp' | 'prometheus'
  readonly system?: string
  readonly headline: string
  readonly reports: readonly CheckReport[]
}

type Output = ReturnType<typeof createOutput>

function createOutput(json: boolean, progress: Progress) {
  const sections: Section[] = []
  const count = (status: Status) =>
    sections
      .flatMap(({ reports }) => reports.flatMap(({ findings }) => findings))
      .filter((finding) => finding.status === status).length
  return {
    add(section: Section): void {
      sections.push(section)
      if (json) return
      progress.clear()
      process.stdout.write(renderReport(section.headline, section.reports, process.stdout))
    },
    /** Writes what is left to write. */
    end(): void {
      progress.clear()
      const skipped = count('skip')
      const counts = [
        `${count('ok')} ok`,
        counted(count('warn'), 'warning'),
        counted(count('fail'), 'failure'),
      ]
      const text = json
        ? visibleLines(JSON.stringify(jsonOf(sections, count), undefined, 2))
        : [...counts, ...(skipped === 0 ? [] : [`${skipped} skipped`])].join(', ')
      process.stdout.write(`${text}\n`)
    },
    failures: (): number => count('fail'),
  }
}

/** The object of `--json`. Members that a finding does not have are null. */
function jsonOf(sections: readonly Section[], count: (status: Status) => number) {
  return {
    summary: Object.fromEntries(Object.keys(COLOURS).map((status) => [status, count(status as Status)])),
    findings: sections.flatMap(({ scope, system = null, reports }) =>
      reports.flatMap(({ title: check, findings }) =>
        findings.map(({ status, subject = null, text, remedy = null }) => {
          return { scope, system, check, status, subject, text, remedy }
        }),
      ),
    ),
  }
}

const STATUS_WIDTH = 4
const TITLE_WIDTH = 13
const MARGIN = '  '
const TEXT_COLUMN = 3 * MARGIN.length + STATUS_WIDTH + TITLE_WIDTH

/** One line for each finding, with the remedy on the next line. Colours are used if the stream supports them. */
export function renderReport(
  headline: string,
  reports: readonly CheckReport[],
  stream: NodeJS.WriteStream,
): string {
  const lines = reports.flatMap(({ title, findings }) =>
    findings.flatMap((finding) => linesOf(title, finding, stream)),
  )
  return `${[headline, ...lines].join('\n')}\n`
}

function linesOf(
  title: string,
  { status, subject, text, remedy }: Finding,
  stream: NodeJS.WriteStream,
): string[] {
  const coloured = styleText(COLOURS[status], status.padEnd(STATUS_WIDTH), { stream })
  const about = subject === undefined ? '' : `${visibleText(subject)}: `
  const fitted = (line: string, more = 0) => wrapped(line, terminalWidth(stream), TEXT_COLUMN + more)
  const first = `${MARGIN}${coloured}  ${title.padEnd(TITLE_WIDTH)}  ${fitted(`${about}${visibleText(text)}`)}`
  if (remedy === undefined) return [first]
  return [first, `${' '.repeat(TEXT_COLUMN)}→ ${fitted(visibleText(remedy), 2)}`]
}
