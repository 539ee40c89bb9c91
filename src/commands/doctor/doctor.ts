import { addAbortListener } from 'node:events'
import { existsSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { Command } from 'commander'
import type { Config, OtlpConfig } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { readVersion } from '../../exporter/version.ts'
import { failedLocally } from '../../otlp/outcomes.ts'
import { createSender } from '../../otlp/sender.ts'
import { counted } from '../../text.ts'
import { type ReadText, readTextFile } from '../../values/files.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { addConfigFile, type ConfigFileFlag } from '../cli/flags/config_file.ts'
import { addFlags, type FlagsOf, type FlagTable, parseFilePath, parseRootUrl } from '../cli/flags/table.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress } from '../cli/output/width.ts'
import { chooseSystem } from '../cli/systems.ts'
import { createChecks, type Running } from './check/check.ts'
import { createOutput, type Output, type Section } from './output.ts'
import { createPrometheusClient, examinePrometheus } from './services/prometheus.ts'
import { type Examination, examineSystem } from './system.ts'

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
