import { z } from 'zod'
import { readRules } from '../../../alerting/package_files.ts'
import type { PoolRef } from '../../../api/resources/pool_list.ts'
import { readVersion } from '../../../exporter/version.ts'
import { counted } from '../../../text.ts'
import { listOf, optionalText, requestJson } from '../../cli/request_json.ts'
import {
  allOf,
  CheckFailure,
  type CheckReport,
  createChecks,
  type Finding,
  type FindingRow,
  filled,
  firstOf,
  type Outcome,
  type Running,
} from '../check/check.ts'
import { alertmanagerFindings } from './alertmanager.ts'

interface WatchedSystem {
  readonly name: string
  readonly pools: readonly PoolRef[] | undefined
}

interface PrometheusContext {
  readonly client: PrometheusClient
  readonly systems: readonly WatchedSystem[]
  readonly sendsTestAlert: boolean
}

/** Whether Prometheus scrapes the exporter, has its pools and rules, and can deliver alerts. */
export async function examinePrometheus(
  { client, systems, sendsTestAlert }: PrometheusContext,
  running: Running,
): Promise<readonly CheckReport[]> {
  const { run, reports } = createChecks(running)
  const prometheus = await run('prometheus', {}, () => checkTargets(client))
  const target = await run('target', { prometheus }, (known) => checkTarget(client, known.prometheus))
  await run('pools', { target: target?.ours && target.pools }, (known) =>
    systems.flatMap((system) => systemFindings(system, known.target)),
  )
  await run('rules', { target: target?.ours }, async (known) =>
    ruleFindings(await client.rules(), known.target),
  )
  await run('alerting', { prometheus }, async () => {
    const names = systems.map(({ name }) => name)
    return alertmanagerFindings(await client.alertmanagers(), names, sendsTestAlert, running.signal)
  })
  return reports
}

async function checkTargets(client: PrometheusClient): Promise<Outcome<readonly ScrapeTarget[]>> {
  const targets = await client.targets()
  const text = `scrapes ${counted(targets.length, 'target')}`
  return { findings: [{ status: 'ok', subject: client.url, text }], fact: targets }
}

/** The job name in the provided scrape configurations and rules. */
const DEFAULT_JOB = 'sds-exporter'

async function checkTarget(client: PrometheusClient, targets: readonly ScrapeTarget[]) {
  const pools = await client.query('sds_pool_up')
  const isOurs = ({ job, instance }: ScrapeTarget) =>
    job === DEFAULT_JOB ||
    pools.some(({ labels }) => labels['job'] === job && labels['instance'] === instance)
  const ours = filled(targets.filter(isOurs))
  const unscraped = (ours ?? targets).find(({ health }) => health === 'unknown')
  const absent = unscraped === undefined ? NO_TARGET : targetFinding(unscraped)
  return {
    findings: ours?.map(targetFinding) ?? [absent],
    // Before the first scrape, Prometheus has no samples: this says nothing about the exporter.
    fact: { ours, pools: unscraped === undefined ? pools : undefined },
  }
}

const NO_TARGET: Finding = {
  status: 'fail',
  text: 'Prometheus has no target for this exporter',
  remedy: `add a scrape job (job_name: ${DEFAULT_JOB}) with the address of the exporter, such as HOST:9438`,
}

function targetFinding({ job, instance, health, lastError }: ScrapeTarget): Finding {
  const rows: readonly FindingRow[] = [
    [health === 'unknown', 'warn', 'has not been scraped yet', WAIT],
    [health === 'up', 'ok', 'up'],
  ]
  return firstOf(`${job} ${instance}`, rows, 'fail', `down: ${lastError}`, TARGET_DOWN)
}

const WAIT = 'wait one scrape interval, and run this again'
const TARGET_DOWN =
  'connection refused: start the exporter; 401: check the password in --web.config.file; TLS: check the server name and the CA'

function systemFindings({ name, pools }: WatchedSystem, known: readonly QueriedSample[]): readonly Finding[] {
  const mine = known.filter(({ labels }) => labels['system'] === name)
  if (mine.length === 0)
    return [
      { status: 'fail', subject: name, text: 'Prometheus has no pools of this system', remedy: USE_FILE },
    ]
  const ids = pools?.map(({ id }) => id) ?? mine.map(({ labels }) => labels['pool_id'] ?? '')
  const wrong = ids.flatMap((id) => {
    const up = mine.filter(({ labels }) => labels['pool_id'] === id).map(({ value }) => value)
    return allOf(`${name} ${id}`, [
      [up.length === 0, 'fail', 'Prometheus does not have this pool', COMPARE_FILE],
      [up.length > 0 && !up.includes(1), 'fail', 'polls of the running exporter fail', SEE_ABOVE],
    ])
  })
  return filled(wrong) ?? [{ status: 'ok', subject: name, text: `up: ${counted(ids.length, 'pool')}` }]
}

const USE_FILE = `use this configuration file for the exporter that Prometheus scrapes, and check its log; if the system was added or renamed after the last scrape, ${WAIT}`
const COMPARE_FILE = 'compare the configuration of the running exporter with this file, and check its log'
const SEE_ABOVE =
  'see the failures above; if there are none, check the log and the network of the running exporter'

/** Rules of the exporter select its metrics, or its job. */
const isOurRule = ({ name, query }: LoadedRule) => /\bsds_\w/.test(query) || /^Sds[A-Z]/.test(name)
const SELECTED_JOB = /\bjob="([^"]*)"/g

/** Whether Prometheus has the rules of this version, can evaluate them, and scrapes the job that they select. */
function ruleFindings(loaded: readonly LoadedRule[], targets: readonly ScrapeTarget[]): Finding[] {
  const ours = loaded.filter(isOurRule)
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
function wrongJob(rules: readonly LoadedRule[], targets: readonly ScrapeTarget[]): Finding[] {
  const jobs = rules.flatMap(({ query }) => [...query.matchAll(SELECTED_JOB)].map(([, job]) => job))
  const selected = new Set(jobs)
  const isOther = selected.size > 0 && !targets.some(({ job }) => selected.has(job))
  const scraped = [...new Set(targets.map(({ job }) => job))].join(', ')
  const text = `the rules select the job ${[...selected].join(', ')}, but the exporter is scraped as ${scraped}`
  const remedy = `set job_name: ${jobs[0]}, or alerting.job in the file for sds-exporter rules`
  return allOf(undefined, [[isOther, 'warn', text, remedy]])
}

const UNMARKED = 'an older version without a mark'

/** Whether rules are of another version than the program. Older ones do not tell it. */
function ruleVersionFindings(loaded: readonly LoadedRule[]): Finding[] {
  const { record } = readRules().sources.info
  const infos = loaded.filter(({ name }) => name === record)
  const versions = infos.map(({ labels }) => labels['version'] ?? UNMARKED)
  const all = new Set(infos.length === 0 ? [UNMARKED] : versions)
  const others = [...all].filter((version) => version !== readVersion())
  const text = `the loaded rules are of ${others.join(' and ')}, this program is ${readVersion()}`
  return allOf(undefined, [[others.length > 0, 'warn', text, WRITE_RULES]])
}

const WRITE_RULES =
  'write the rules of this version with sds-exporter rules --out=DIR, replace the loaded ones and reload Prometheus'

const LABELS = z
  .record(z.string(), z.string())
  .nullish()
  .transform((labels) => labels ?? {})

const SAMPLE = z
  .object({ metric: LABELS, value: z.tuple([z.number(), z.string()]) })
  .transform(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
export type QueriedSample = Readonly<z.output<typeof SAMPLE>>

const TARGET = z
  .object({ labels: LABELS, health: optionalText, lastError: optionalText })
  .transform(({ labels: { job = '', instance = '' }, ...state }) => ({ job, instance, ...state }))
/** A target that Prometheus scrapes. All members are untrusted text. */
export type ScrapeTarget = Readonly<z.output<typeof TARGET>>

const RULE = z.object({
  type: optionalText,
  name: optionalText,
  query: optionalText,
  /** The labels of the rule, without those of the series. */
  labels: LABELS,
  health: optionalText,
  lastError: optionalText,
})
/** A rule that Prometheus has loaded. All members are untrusted text. */
export type LoadedRule = Readonly<z.output<typeof RULE>>

const SAMPLES = z.object({ result: listOf(SAMPLE) })
const TARGETS = z.object({ activeTargets: listOf(TARGET) })
const RULES = z.object({ groups: listOf(z.object({ rules: listOf(RULE) })) })
const ALERTMANAGERS = z.object({ activeAlertmanagers: listOf(z.object({ url: optionalText })) })

/** The part of the HTTP API of Prometheus that the doctor uses. Methods throw {@link CheckFailure}. */
type PrometheusClient = ReturnType<typeof createPrometheusClient>

/** Path that Prometheus adds to the address of an Alertmanager. */
const ALERTS_PATH = /\/api\/v\d\/alerts$/
const TIMEOUT_MS = 10_000
const CHECK_URL = 'correct --prometheus.url, or run this on a machine that can reach Prometheus'

/** @param url root URL of Prometheus, without a slash at its end */
export function createPrometheusClient(url: string, signal: AbortSignal) {
  async function request<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const noResponse = (reason: string) => new CheckFailure(`${url} did not respond: ${reason}`, CHECK_URL)
    const { status, body } = await requestJson(`${url}/api/v1/${path}`, {
      timeoutMs: TIMEOUT_MS,
      signal,
      noResponse,
    })
    const { data: response } = z.object({ status: z.literal('success'), data: schema }).safeParse(body)
    if (response !== undefined) return response.data
    if (status === 401 || status === 403) {
      throw new CheckFailure(
        `${url} refused the request (HTTP ${status})`,
        'use a URL of Prometheus that needs no authentication',
      )
    }
    throw new CheckFailure(`${url} is not the API of Prometheus (HTTP ${status})`, CHECK_URL)
  }

  return {
    url,
    query: async (promql: string): Promise<readonly QueriedSample[]> =>
      (await request(`query?${new URLSearchParams({ query: promql })}`, SAMPLES)).result,
    targets: async (): Promise<readonly ScrapeTarget[]> =>
      (await request('targets?state=active', TARGETS)).activeTargets,
    rules: async (): Promise<readonly LoadedRule[]> =>
      (await request('rules', RULES)).groups.flatMap(({ rules }) => rules),
    /** The root URLs of the Alertmanagers that alerts are sent to, also of those that do not respond. */
    alertmanagers: async (): Promise<readonly string[]> => {
      const { activeAlertmanagers: all } = await request('alertmanagers', ALERTMANAGERS)
      return all.map((one) => one.url.replace(ALERTS_PATH, ''))
    },
  }
}
