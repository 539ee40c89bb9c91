import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { ConfigError } from '../../config/values/problems.ts'
import { counted } from '../../counted.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress, type Progress } from '../cli/progress.ts'
import { chooseSystem } from '../cli/systems.ts'
import { printable } from '../cli/terminal.ts'
import { parseHttpUrl } from '../cli/urls.ts'
import { type CheckReport, runChecks } from './check/check.ts'
import { countStatus, renderReport, summaryText } from './check/report.ts'
import { createPrometheusClient } from './prometheus/client.ts'
import { PROMETHEUS_CHECKS, PROMETHEUS_GIVEN_BY, type WatchedSystem } from './prometheus/prometheus.ts'
import { examineSystem } from './system.ts'

interface Flags {
  'config.file': string
  'prometheus.url'?: string
  system?: string
}

/** However slow everything is, so long the doctor takes at most, but for logging out. */
const MAX_MS = 120_000
const READING_PAUSE_MS = 3000

const HELP = `
Looks at every system from this machine as the exporter would, and says what is wrong and what to do:
  configuration  secrets that others may read, certificates that are not verified, schedules that leave gaps
  names          the host names of base_url
  connection     TCP and TLS: authority, names and days left of the certificate
  http           whether the management API answers there, and not something else
  clock          the system's clock against this machine's
  login          the login, or whether the token is accepted, with the system's own words
  role           SYSTEM_MONITOR for reading, and no more than that
  pools          the configured pools against those that the system lists
  feed           the answer of each pool, and the values in it that cannot be used
  health         health states that nobody knows
  attributes     which are served, by category: why a panel is empty
  samples        age of the newest, by category: statistics that stand still
  values         read again, and computed by other means than the exporter's: are the exported figures right?
  forecasts      whether they come, and which form of the request the system understands (forecast.braces)
With --prometheus.url, from Prometheus' side: is the exporter scraped, are all pools known and up, how old is what it
has, and does its interval suit poll.schedule?

It logs in once for each system (a refused login counts there as one attempt) and out again, and sends four
requests for each pool at most, within the limits of the configuration. It takes two minutes at most. No secret is printed.

Exit codes: 0 nothing failed (warnings may be there); 1 a check failed; 2 wrong usage.`

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('connect to the systems as the exporter would; say what is wrong and what to do')
    .requiredOption('--config.file <file>', 'the configuration file (YAML)')
    .option('--prometheus.url <url>', 'the Prometheus that scrapes the exporter, to look from its side, too')
    .option('--system <name>', 'this system alone')
    .addHelpText('after', HELP)
    .action(examine)
}

async function examine(flags: Flags): Promise<void> {
  const prometheusUrl = optionalUrl(flags['prometheus.url'])
  const config = readConfig(flags['config.file'])
  if (config === undefined) throw new Failed('the configuration cannot be used: correct it first')
  const systems = flags.system === undefined ? config.systems : [chooseSystem(config.systems, flags.system)]
  const progress = createProgress(process.stderr)
  const reports = await interruptible(async (stop) => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MAX_MS)])
    const round = { config: { ...config, systems }, configFile: flags['config.file'], signal, progress }
    const { reports, watched } = await examineSystems(round)
    if (prometheusUrl === undefined) return reports
    return [...reports, ...(await examinePrometheus(round, prometheusUrl, watched))]
  }).finally(progress.clear)
  process.stdout.write(`${summaryText(reports)}\n`)
  const failures = countStatus(reports, 'fail')
  if (failures > 0) throw new Failed(`failed: ${counted(failures, 'finding')}, see above`, EXIT.failed)
}

interface Round {
  readonly config: Config
  readonly configFile: string
  readonly signal: AbortSignal
  readonly progress: Progress
}

/** Side by side, since each has limits of its own; told in the order of the file. */
async function examineSystems({ config, configFile, signal, progress }: Round) {
  const examinations = config.systems.map((system) =>
    examineSystem({ system, config, configFile, readingPauseMs: READING_PAUSE_MS, signal }, (title) =>
      progress.show(`${system.name}: ${title} …`),
    ),
  )
  const reports: CheckReport[] = []
  const watched: WatchedSystem[] = []
  for (const [index, { name }] of config.systems.entries()) {
    const examination = await examinations[index]
    if (examination === undefined) continue
    write(progress, `system ${name}`, examination.reports)
    reports.push(...examination.reports)
    watched.push({ name, pools: examination.pools })
  }
  return { reports, watched }
}

async function examinePrometheus(
  { config, signal, progress }: Round,
  url: URL,
  systems: readonly WatchedSystem[],
): Promise<readonly CheckReport[]> {
  const context = { client: createPrometheusClient(url, signal), systems, pollSchedule: config.poll.schedule }
  const { reports } = await runChecks(PROMETHEUS_CHECKS, context, {
    givenBy: PROMETHEUS_GIVEN_BY,
    signal,
    onCheck: (title) => progress.show(`Prometheus: ${title} …`),
  })
  write(progress, 'Prometheus', reports)
  return reports
}

function write(progress: Progress, headline: string, reports: readonly CheckReport[]): void {
  progress.clear()
  process.stdout.write(renderReport(headline, reports, process.stdout))
}

/** A file that cannot be used is the first finding, and the last. */
function readConfig(file: string): Config | undefined {
  try {
    return loadConfig(file, process.env)
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    const findings = failure.problems.map(({ path, message }) => ({
      status: 'fail' as const,
      ...(path !== '' && { subject: path }),
      text: message,
    }))
    process.stdout.write(
      renderReport(printable(file), [{ title: 'configuration', findings }], process.stdout),
    )
    return undefined
  }
}

function optionalUrl(text: string | undefined): URL | undefined {
  return text === undefined ? undefined : parseHttpUrl('--prometheus.url', text)
}
