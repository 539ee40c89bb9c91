import { readRules } from '../../../alerting/package_files.ts'
import type { HistoryConfig } from '../../../config/config.ts'
import { readVersion } from '../../../exporter/version.ts'
import { counted, durationText } from '../../../text.ts'
import { allOf, type Finding, type FindingRow, firstOf } from '../check/check.ts'
import { type LoadedRule, type ScrapeTarget, secondsOf } from './prometheus_client.ts'

/** Rules of the exporter select its metrics, or its job. */
export const isOurs = ({ name, query }: LoadedRule) => /\bsds_\w/.test(query) || /^Sds[A-Z]/.test(name)
const SELECTED_JOB = /\bjob="([^"]*)"/g

/** Whether Prometheus has the rules of this version, can evaluate them, and scrapes the job that they select. */
export function ruleFindings(
  loaded: readonly LoadedRule[],
  targets: readonly Pick<ScrapeTarget, 'job'>[],
): Finding[] {
  const ours = loaded.filter(isOurs)
  const alerts = ours.filter(({ type }) => type === 'alerting').length
  if (alerts === 0) return [NO_ALERTS]
  const broken = ours.filter(({ health }) => health === 'err').slice(0, MAX_NAMED_RULES)
  const wrong = [...broken.map(brokenRule), ...wrongJob(ours, targets), ...ruleVersionFindings(loaded)]
  const text = `loaded: ${counted(alerts, 'alert')}, ${counted(ours.length - alerts, 'recording rule')}`
  return wrong.length > 0 ? wrong : [{ status: 'ok', text }]
}

const MAX_NAMED_RULES = 3

const NO_ALERTS: Finding = {
  status: 'warn',
  text: 'Prometheus has no alerts for the metrics of the exporter',
  remedy:
    'write the rules with sds-exporter rules --out=DIR, add them to rule_files and reload Prometheus, which reports no error if a pattern matches no file',
}

function brokenRule({ name, lastError }: LoadedRule): Finding {
  const remedy = 'use the rules of this version of the exporter, and check the version of Prometheus'
  return { status: 'fail', subject: name, text: `cannot be evaluated: ${lastError}`, remedy }
}

/** Alerts about the exporter itself select it by the job, and do not fire for another one. */
function wrongJob(rules: readonly LoadedRule[], targets: readonly Pick<ScrapeTarget, 'job'>[]): Finding[] {
  const jobs = rules.flatMap(({ query }) => [...query.matchAll(SELECTED_JOB)].map(([, job]) => job))
  const selected = new Set(jobs)
  const isOther = selected.size > 0 && !targets.some(({ job }) => selected.has(job))
  const scraped = [...new Set(targets.map(({ job }) => job))].join(', ')
  const text = `the rules select the job ${[...selected].join(', ')}, but the exporter is scraped as ${scraped}`
  const remedy = `set job_name: ${jobs[0]}, or alerting.job in the file for sds-exporter rules`
  return allOf(undefined, [[isOther, 'warn', text, remedy]])
}

const JOB = 'add the scrape job for /history to Prometheus, see docs/history.md'

/** Whether Prometheus closes gaps from `/history`. @param configuration that of Prometheus, as YAML */
export function historyFinding(
  { windowMs }: HistoryConfig,
  targets: readonly ScrapeTarget[],
  configuration: string,
): Finding {
  const windowSeconds = windowMs / 1000
  const isScraped = targets.some(({ path }) => path.endsWith('/history'))
  const setting = /^ *out_of_order_time_window: *(\S+)$/m.exec(configuration)?.[1] ?? '0s'
  const wanted = durationText(windowSeconds)
  const text = `out_of_order_time_window of Prometheus is ${setting}, history.window ${wanted}`
  const remedy = `set storage.tsdb.out_of_order_time_window of Prometheus to at least ${wanted}: it refuses older samples, and gaps stay`
  const rows: readonly FindingRow[] = [
    [!isScraped, 'warn', NOT_SCRAPED, `${JOB}, or remove history.enabled`],
    [(secondsOf(setting) ?? 0) < windowSeconds, 'warn', text, remedy],
  ]
  return firstOf(undefined, rows, 'ok', text)
}

const NOT_SCRAPED = 'history.enabled is set, but Prometheus does not scrape /history'

export const UNMARKED = 'an older version without a mark'

/** Whether rules are of another version than the program. Older ones do not tell it. */
function ruleVersionFindings(loaded: readonly LoadedRule[]): Finding[] {
  const { record } = readRules().sources.info
  const infos = loaded.filter(({ name }) => name === record)
  const versions = infos.map(({ labels }) => labels['version'] ?? UNMARKED)
  const others = otherVersions(infos.length === 0 ? [UNMARKED] : versions)
  const text = `the loaded rules are of ${others.join(' and ')}, this program is ${readVersion()}`
  return allOf(undefined, [[others.length > 0, 'warn', text, WRITE_RULES]])
}

export function otherVersions(versions: readonly string[]): readonly string[] {
  return [...new Set(versions)].filter((version) => version !== readVersion())
}

const WRITE_RULES =
  'write the rules of this version with sds-exporter rules --out=DIR, replace the loaded ones and reload Prometheus'
