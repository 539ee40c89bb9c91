import type { HistoryConfig } from '../../../config/config.ts'
import { counted, durationText } from '../../../text.ts'
import type { Finding } from '../check/check.ts'
import { type LoadedRule, type ScrapeTarget, secondsOf } from './client.ts'

/** Rules of the exporter select its metrics, or its job. */
const isOurs = ({ name, query }: LoadedRule) => /\bsds_\w/.test(query) || /^Sds[A-Z]/.test(name)
const SELECTED_JOB = /\bjob="([^"]*)"/g

/** Whether Prometheus has the rules of the exporter, can evaluate them, and scrapes the job that they select. */
export function ruleFindings(
  loaded: readonly LoadedRule[],
  targets: readonly Pick<ScrapeTarget, 'job'>[],
): Finding[] {
  const ours = loaded.filter(isOurs)
  const alerts = ours.filter(({ type }) => type === 'alerting').length
  if (alerts === 0) return [NO_ALERTS]
  const text = `loaded: ${counted(alerts, 'alert')}, ${counted(ours.length - alerts, 'recording rule')}`
  const wrong = [...ours.flatMap(brokenRule).slice(0, MAX_NAMED_RULES), ...wrongJob(ours, targets)]
  return wrong.length > 0 ? wrong : [{ status: 'ok', text }]
}

const MAX_NAMED_RULES = 3

const NO_ALERTS: Finding = {
  status: 'warn',
  text: 'Prometheus has no alerts for the metrics of the exporter',
  remedy:
    'write the rules with sds-exporter rules --out=DIR, add them to rule_files and reload Prometheus, which reports no error if a pattern matches no file',
}

function brokenRule({ name, health, lastError }: LoadedRule): Finding[] {
  if (health !== 'err') return []
  const remedy = 'use the rules of this version of the exporter, and check the version of Prometheus'
  return [{ status: 'fail', subject: name, text: `cannot be evaluated: ${lastError}`, remedy }]
}

/** Alerts about the exporter itself select it by the job, and do not fire for another one. */
function wrongJob(rules: readonly LoadedRule[], targets: readonly Pick<ScrapeTarget, 'job'>[]): Finding[] {
  const selected = new Set(
    rules.flatMap(({ query }) => [...query.matchAll(SELECTED_JOB)].map(([, job]) => job)),
  )
  if (selected.size === 0 || targets.some(({ job }) => selected.has(job))) return []
  const scraped = [...new Set(targets.map(({ job }) => job))].join(', ')
  const [first] = selected
  return [
    {
      status: 'warn',
      text: `the rules select the job ${[...selected].join(', ')}, but the exporter is scraped as ${scraped}`,
      remedy: `set job_name: ${first}, or alerting.job in the file for sds-exporter rules`,
    },
  ]
}

/** @param alertmanagers how many Prometheus has; it lists those that do not respond, too */
export function alertingFinding(alertmanagers: number): Finding {
  if (alertmanagers > 0)
    return { status: 'ok', text: `Prometheus has ${counted(alertmanagers, 'Alertmanager')}` }
  return {
    status: 'warn',
    text: 'Prometheus has no Alertmanager: no notifications of alerts are sent',
    remedy: 'configure alerting.alertmanagers in the configuration of Prometheus',
  }
}

const JOB = 'add the scrape job for /history to Prometheus, see docs/history.md'

/**
 * Whether Prometheus closes gaps from `/history`.
 * @param configuration that of Prometheus, as YAML in its own notation
 */
export function historyFinding(
  { windowMs }: HistoryConfig,
  targets: readonly ScrapeTarget[],
  configuration: string,
): Finding {
  const windowSeconds = windowMs / 1000
  if (!targets.some(({ path }) => path.endsWith('/history'))) {
    const text = 'history.enabled is set, but Prometheus does not scrape /history'
    return { status: 'warn', text, remedy: `${JOB}, or remove history.enabled` }
  }
  const setting = /^\s*out_of_order_time_window: *(\S+)$/m.exec(configuration)?.[1] ?? '0s'
  const allowedSeconds = secondsOf(setting) ?? 0
  const text = `out_of_order_time_window of Prometheus is ${setting}, history.window ${durationText(windowSeconds)}`
  if (allowedSeconds >= windowSeconds) return { status: 'ok', text }
  const remedy = `set storage.tsdb.out_of_order_time_window of Prometheus to at least ${durationText(windowSeconds)}: it refuses older samples, and gaps stay`
  return { status: 'warn', text, remedy }
}
