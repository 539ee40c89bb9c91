import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { ConfigError } from '../../config/values/problems.ts'
import { counted } from '../../counted.ts'
import { visibleText } from '../../visible_text.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress, type Progress } from '../cli/progress.ts'
import { chooseSystem } from '../cli/systems.ts'
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

/** Limit of all checks together, without the logout. */
const MAX_MS = 120_000
const READING_PAUSE_MS = 3000

const HELP = `
Checks every system from this machine, and prints problems with their remedies:
  configuration  readable secrets, disabled certificate verification, schedules that cause gaps
  names          DNS lookup of the host names in base_url
  connection     TCP and TLS: issuer, names and remaining days of the certificate
  http           whether the management API responds at base_url
  clock          clock skew between the system and this machine
  login          login, or validity of the token
  role           whether the account has SYSTEM_MONITOR and no other role
  pools          configured pools compared with the pools of the system
  feed           response of each pool, and values in it that are invalid
  health         unknown health states
  attributes     attributes that the system serves, by category; explains empty panels
  query          whether the query interface is available, and what it has; its bandwidths compared with those of the feed
  samples        age of the newest sample, by category
  values         exported values compared with an independent calculation from a second response
  forecasts      whether the system serves forecasts, and with which form of the request (forecast.braces)
With --prometheus.url also: whether Prometheus scrapes the exporter, has all pools and current samples, and whether
scrape_interval fits poll.schedule.

Each system gets one login (which counts as a failed attempt if it is refused), one logout, at most four requests per
pool, and about eight to its query interface, within the limits of the configuration. The checks take at most two minutes. Secrets are not printed.

Exit codes: 0 no check failed (there may be warnings); 1 a check failed; 2 usage error.`

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the configuration and the connection to the systems; print problems and remedies')
    .requiredOption('--config.file <file>', 'configuration file (YAML)')
    .option('--prometheus.url <url>', 'URL of Prometheus, to check scraping too')
    .option('--system <name>', 'only this system')
    .addHelpText('after', HELP)
    .action(examine)
}

async function examine(flags: Flags): Promise<void> {
  const prometheusUrl = optionalUrl(flags['prometheus.url'])
  const config = readConfig(flags['config.file'])
  if (config === undefined) throw new Failed('the configuration is invalid: correct it first')
  const systems = flags.system === undefined ? config.systems : [chooseSystem(config.systems, flags.system)]
  const progress = createProgress(process.stderr)
  const reports = await interruptible(async (stop) => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MAX_MS)])
    const examination = { config: { ...config, systems }, configFile: flags['config.file'], signal, progress }
    const { reports, watched } = await examineSystems(examination)
    if (prometheusUrl === undefined) return reports
    return [...reports, ...(await examinePrometheus(examination, prometheusUrl, watched))]
  }).finally(progress.clear)
  process.stdout.write(`${summaryText(reports)}\n`)
  const failures = countStatus(reports, 'fail')
  if (failures > 0) throw new Failed(`${counted(failures, 'failure')}, see above`, EXIT.failed)
}

interface Examination {
  readonly config: Config
  readonly configFile: string
  readonly signal: AbortSignal
  readonly progress: Progress
}

/** Checks systems concurrently, and prints the reports in the order of the file. */
async function examineSystems({ config, configFile, signal, progress }: Examination) {
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
  { config, signal, progress }: Examination,
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

/** Loads the configuration; prints its problems as findings and returns undefined if it is invalid. */
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
      renderReport(visibleText(file), [{ title: 'configuration', findings }], process.stdout),
    )
    return undefined
  }
}

function optionalUrl(text: string | undefined): URL | undefined {
  return text === undefined ? undefined : parseHttpUrl('--prometheus.url', text)
}
