import type { PoolRef } from '../../../api/resources/pool_list.ts'
import type { HistoryConfig } from '../../../config/config.ts'
import { pollPeriodMs } from '../../../readings/schedule.ts'
import { OLD_SAMPLE_SECONDS } from '../../../status/pool_status.ts'
import { counted, durationText } from '../../../text.ts'
import { largest, smallest } from '../../../values/largest.ts'
import {
  allOf,
  type CheckReport,
  createChecks,
  type Finding,
  type FindingRow,
  filled,
  firstOf,
  type Outcome,
  partOf,
  type Running,
} from '../check/check.ts'
import { alertingFindings } from './alerting.ts'
import type { PrometheusClient, QueriedSample, ScrapeTarget } from './prometheus_client.ts'
import { historyFinding, ruleFindings } from './prometheus_findings.ts'

interface WatchedSystem {
  readonly name: string
  readonly pools: readonly PoolRef[] | undefined
}

interface PrometheusContext {
  readonly client: PrometheusClient
  readonly systems: readonly WatchedSystem[]
  /** `poll.schedule` of each system; empty: it is polled when it is probed. */
  readonly pollSchedules: readonly string[]
  readonly history: HistoryConfig
  readonly sendsTestAlert: boolean
}

/** Whether Prometheus scrapes the exporter, and has its samples and rules. */
export async function examinePrometheus(
  { client, systems, pollSchedules, history, sendsTestAlert }: PrometheusContext,
  running: Running,
): Promise<readonly CheckReport[]> {
  const { run, reports } = createChecks(running)
  const targets = await run('prometheus', [], () => checkTargets(client))
  const target = await run('target', [targets], ([all]) => checkTarget(client, all))
  const [ours, pools] = [partOf(target, 'ours'), partOf(target, 'pools')]
  await run('pools', [pools, ours], ([known, found]) =>
    systems.flatMap((system) => systemFindings(system, known, waitText(found))),
  )
  await run('samples', [ours, pools], () => checkAges(client, systems))
  await run('interval', [ours], ([found]) => intervalFindings(found, pollSchedules))
  if (history.enabled)
    await run('history', [targets], async ([all]) => [
      historyFinding(history, all, await client.configuration()),
    ])
  await run('rules', [ours], async ([found]) => ruleFindings(await client.rules(), found))
  await run('alerting', [targets], async () => {
    const names = systems.map(({ name }) => name)
    return alertingFindings(await client.alertmanagers(), await client.rules(), names, sendsTestAlert)
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

/** The targets that are this exporter, and its pools. */
async function checkTarget(client: PrometheusClient, targets: readonly ScrapeTarget[]) {
  const pools = await client.query('sds_pool_up')
  const isOurs = ({ job, instance }: ScrapeTarget) =>
    job === DEFAULT_JOB ||
    pools.some(({ labels }) => labels['job'] === job && labels['instance'] === instance)
  const ours = filled(targets.filter(isOurs))
  const unscraped = (ours ?? targets).find(({ health }) => health === 'unknown')
  const absent = unscraped === undefined ? NO_TARGET : unscrapedFinding(unscraped)
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

function unscrapedFinding(target: ScrapeTarget): Finding {
  const subject = `${target.job} ${target.instance}`
  return { status: 'warn', subject, text: 'has not been scraped yet', remedy: waitText([target]) }
}

function waitText(targets: readonly ScrapeTarget[]): string {
  const seconds = largest(targets.map(({ intervalSeconds }) => intervalSeconds))
  const interval = seconds === undefined ? '' : ` (${durationText(seconds)})`
  return `wait one scrape interval${interval}, and run this again`
}

function targetFinding(target: ScrapeTarget): Finding {
  const { job, instance, health, lastError } = target
  if (health === 'unknown') return unscrapedFinding(target)
  const rows: readonly FindingRow[] = [[health === 'up', 'ok', 'up']]
  return firstOf(`${job} ${instance}`, rows, 'fail', `down: ${lastError}`, TARGET_DOWN)
}

const TARGET_DOWN =
  'connection refused: start the exporter; 401: check the password in --web.config.file; TLS: check the server name and the CA'

/** @param wait the remedy for a system that the exporter has under this name since the last scrape only */
function systemFindings(
  { name, pools }: WatchedSystem,
  known: readonly QueriedSample[],
  wait: string,
): readonly Finding[] {
  const mine = known.filter(({ labels }) => labels['system'] === name)
  const ids = pools?.map(({ id }) => id) ?? mine.map(({ labels }) => labels['pool_id'] ?? '')
  if (mine.length === 0) {
    const others = known.filter(({ labels }) => ids.some((id) => id === labels['pool_id']))
    const names = [...new Set(others.map(({ labels }) => labels['system']))].join(', ')
    const renamed = `Prometheus has the pools of this system under the name ${names}`
    const rows: readonly FindingRow[] = [[names !== '', 'warn', renamed, `${RENAMED}: ${wait}`]]
    const remedy = `${USE_FILE}; ${ADDED}: ${wait}`
    return [firstOf(name, rows, 'fail', 'Prometheus has no pools of this system', remedy)]
  }
  const wrong = ids.flatMap((id) => {
    const up = mine.filter(({ labels }) => labels['pool_id'] === id).map(({ value }) => value)
    return allOf(`${name} ${id}`, [
      [up.length === 0, 'fail', 'Prometheus does not have this pool', COMPARE_FILE],
      [up.length > 0 && !up.includes(1), 'fail', 'polls of the running exporter fail', SEE_ABOVE],
    ])
  })
  return filled(wrong) ?? [{ status: 'ok', subject: name, text: `up: ${counted(ids.length, 'pool')}` }]
}

const RENAMED = 'if it was renamed after the last scrape'
const ADDED = 'if it was added after the last scrape'
const USE_FILE = 'use this configuration file for the exporter that Prometheus scrapes, and check its log'
const COMPARE_FILE = 'compare the configuration of the running exporter with this file, and check its log'
const SEE_ABOVE =
  'see the failures above; if there are none, check the log and the network of the running exporter'

/** The lookback delta of Prometheus: older samples are not returned. */
const LOOKBACK_SECONDS = 300

async function checkAges(client: PrometheusClient, systems: readonly WatchedSystem[]): Promise<Finding[]> {
  const scraped = await client.query('time() - max by (system) (timestamp(sds_pool_up))')
  const newest = await client.query(
    'time() + max by (system) (sds_system_clock_skew_seconds) - max by (system) (sds_node_sample_timestamp_seconds)',
  )
  const of = (samples: readonly QueriedSample[], name: string) =>
    samples.find(({ labels }) => labels['system'] === name)?.value
  return systems.map(({ name }) => agesFinding(name, of(scraped, name), of(newest, name)))
}

function agesFinding(subject: string, scraped: number | undefined, newest: number | undefined): Finding {
  const ageText = (seconds: number) => durationText(Math.max(seconds, 0))
  const age = newest === undefined ? 'unknown' : `${ageText(newest)} old`
  const text = `scraped ${ageText(scraped ?? 0)} ago, newest sample ${age}`
  const rows: readonly FindingRow[] = [
    [scraped === undefined, 'skip', 'skipped: Prometheus has no samples of this system'],
    [newest === undefined, 'warn', text, NO_VALUES],
    [newest !== undefined && newest <= OLD_SAMPLE_SECONDS, 'ok', text],
  ]
  return firstOf(subject, rows, 'warn', text, NOT_UPDATED)
}

const NO_VALUES = 'check the log of the running exporter: it has no values of this system'
const NOT_UPDATED =
  'the system does not update its statistics, or the exporter does not poll: compare with "samples" above'

function intervalFindings(targets: readonly ScrapeTarget[], pollSchedules: readonly string[]): Finding[] {
  const periods = pollSchedules.flatMap((schedule) => (schedule === '' ? [] : pollPeriodMs(schedule) / 1000))
  return targets.map((target) => intervalFinding(target, smallest(periods)))
}

/** @param pollSeconds of the system that is polled most often; undefined: each probe polls */
function intervalFinding(
  { job, instance, intervalSeconds }: ScrapeTarget,
  pollSeconds: number | undefined,
): Finding {
  const every = intervalSeconds ?? 0
  const polled =
    pollSeconds === undefined
      ? 'systems are polled when they are probed'
      : `poll.schedule polls every ${durationText(pollSeconds)}`
  const text = `scraped every ${durationText(every)}, ${polled}`
  const rows: readonly FindingRow[] = [
    [intervalSeconds === undefined, 'info', 'Prometheus does not report its scrape interval'],
    [every > LOOKBACK_SECONDS / 2, 'warn', text, SCRAPE_OFTEN],
    [pollSeconds !== undefined && every > pollSeconds, 'warn', text, DECREASE_INTERVAL],
  ]
  return firstOf(`${job} ${instance}`, rows, 'ok', text)
}

const SCRAPE_OFTEN =
  'set scrape_interval to 1m: series end after 5 minutes without a sample, so a single lost scrape would cause a gap'
const DECREASE_INTERVAL =
  'decrease scrape_interval, or poll less often: polls between two scrapes are not stored'
