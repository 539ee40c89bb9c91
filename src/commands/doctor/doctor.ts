import { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { ConfigError, placeText } from '../../config/values/problems.ts'
import { counted, visibleText } from '../../text.ts'
import { EXIT, Failed } from '../cli/exit.ts'
import { addConfigFile } from '../cli/flags/config_file.ts'
import { parseRootUrl } from '../cli/flags/urls.ts'
import { interruptible } from '../cli/lifetime.ts'
import { createProgress } from '../cli/output/progress.ts'
import { writeOutputFile } from '../cli/output/written_files.ts'
import { chooseSystem } from '../cli/systems.ts'
import { type CheckReport, type Running, runChecks } from './check/check.ts'
import { createOutput, type Output } from './output.ts'
import { createPrometheusClient } from './prometheus/client.ts'
import { PROMETHEUS_CHECKS, type WatchedSystem } from './prometheus/prometheus.ts'
import { createReportRedaction, type ExaminedSystem, reportText } from './report.ts'
import { examineSystem } from './system.ts'

interface Flags {
  'config.file': string
  'prometheus.url'?: string
  testAlert?: boolean
  saveCertificate?: string
  system?: string
  json?: boolean
  report?: string
}

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
  feed           response of each pool, and values in it that are invalid
  health         nodes that are not in a good state, and unknown states
  attributes     attributes that the system serves, by category; explains empty
                 panels
  query          whether the query interface is available, and what it has; its
                 bandwidths compared with those of the feed
  samples        age of the newest sample, by category
  values         exported values compared with an independent calculation from a
                 second response
  forecasts      whether the system serves forecasts, and with which form of the
                 request (forecast.braces)
With --prometheus.url also: whether Prometheus scrapes the exporter, has all
pools and current samples, whether scrape_interval fits poll.schedule, whether
gaps are closed if history.enabled is set, and whether the rules are loaded. For
each Alertmanager of Prometheus: whether it is ready, has the inhibition rules,
and routes the alerts to a receiver with an integration; routes are evaluated
with the labels of the rules, alertname and system. With --test-alert, each gets
the alert SdsTestAlert with severity critical, which is notified as any other
and resolves after five minutes.

Each system gets one login (which counts as a failed attempt if it is refused),
one logout, at most four requests per pool, and about eight to its query
interface, within the limits of the configuration. The checks take at most two
minutes. Secrets are not printed.

With --json, an object is written to stdout at the end:
  summary   number of findings by status: ok, info, warn, fail, skip
  findings  scope (configuration, system or prometheus), system, check, status,
            subject, text and remedy of each finding;
            members that a finding does not have are null

With --report, a text for a bug report is written: versions, what is served, and
every finding, with stand-ins such as pool-1 for names and addresses. Read it
before you send it. The command capture records what the systems serve.

Exit codes: 0 no check failed (there may be warnings); 1 a check failed; 2 usage
error.`

export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'check the configuration and the connection to the systems; print problems and remedies',
  )
  return addConfigFile(command)
    .option('--prometheus.url <url>', 'URL of Prometheus, to check scraping too')
    .option('--test-alert', 'with --prometheus.url: send an alert to each Alertmanager of Prometheus')
    .option('--system <name>', 'only this system; problems that other systems have in the file are ignored')
    .option(
      '--save-certificate <file>',
      'write the certificates that issued those of the system to this file, for tls_config.ca_file',
    )
    .option('--json', 'print the findings as a JSON object')
    .option('--report <file>', 'also write the findings to a file, without names, for a bug report')
    .addHelpText('after', HELP)
    .action(examine)
}

async function examine(flags: Flags): Promise<void> {
  const url = flags['prometheus.url']
  const prometheusUrl = url === undefined ? undefined : parseRootUrl('--prometheus.url', url)
  const sendsTestAlert = flags.testAlert ?? false
  if (sendsTestAlert && prometheusUrl === undefined) {
    throw new Failed('--test-alert needs --prometheus.url, which names the Alertmanagers', EXIT.usage)
  }
  const progress = createProgress(process.stderr)
  const output = createOutput(flags.json ?? false, progress)
  const config = readConfig(flags, output)
  if (config === undefined) {
    output.end()
    throw new Failed('the configuration is invalid: correct it first')
  }
  const isOne = flags.system !== undefined || flags.saveCertificate !== undefined
  const systems = isOne ? [chooseSystem(config.systems, flags.system)] : config.systems
  const redaction = createReportRedaction()
  const received = flags.report === undefined ? undefined : redaction.received
  const examined: ExaminedSystem[] = []
  const ofPrometheus: CheckReport[] = []
  const isInterrupted = await interruptible(async (stop) => {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MAX_MS)])
    const shown = (what: string): Running => ({
      signal,
      onCheck: (title) => progress.show(`${what}: ${title} …`),
    })
    const { 'config.file': configFile, saveCertificate: certificateFile } = flags
    const context = {
      ...{ config, configFile, certificateFile, received },
      readingPauseMs: READING_PAUSE_MS,
      signal,
    }
    // All at the same time, and their reports in the order of the file.
    const examinations = systems.map(async (system) => {
      const { onCheck } = shown(system.name)
      return examineSystem({ ...context, system }, onCheck, flags.report !== undefined)
    })
    const watched: WatchedSystem[] = []
    for (const examination of examinations) {
      const { system, reports, pools } = await examination
      const { name } = system
      output.add({ scope: 'system', system: name, headline: `system ${name}`, reports })
      watched.push({ name, pools })
    }
    examined.push(...(await Promise.all(examinations)))
    if (prometheusUrl === undefined) return stop.aborted
    const client = createPrometheusClient(prometheusUrl, signal)
    const { history } = config
    const pollSchedules = systems.map(({ poll }) => poll.schedule)
    const asked = { client, systems: watched, pollSchedules, history, sendsTestAlert }
    const { reports } = await runChecks(PROMETHEUS_CHECKS, asked, shown('Prometheus'))
    output.add({ scope: 'prometheus', headline: 'Prometheus', reports })
    ofPrometheus.push(...reports)
    return stop.aborted
  }).finally(progress.clear)
  output.end()
  if (flags.report !== undefined)
    writeOutputFile(flags.report, reportText(examined, ofPrometheus, flags['config.file'], redaction))
  if (isInterrupted) throw new Failed('interrupted')
  const failures = output.failures()
  if (failures > 0) throw new Failed(`${counted(failures, 'failure')}, see above`, EXIT.failed)
}

/** Loads the configuration; adds its problems as findings and returns undefined if it is invalid. */
function readConfig({ 'config.file': file, system }: Flags, output: Output): Config | undefined {
  try {
    return loadConfig(file, process.env, { system })
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    const findings = failure.problems.map((problem) => {
      const subject = placeText(problem)
      return { status: 'fail' as const, ...(subject !== '' && { subject }), text: problem.message }
    })
    const reports = [{ title: 'configuration', findings }]
    output.add({ scope: 'configuration', headline: visibleText(file), reports })
    return undefined
  }
}
