import type { PoolRef } from '../../../api/feed/pools.ts'
import type { HistoryConfig } from '../../../config/config.ts'
import { pollPeriodMs } from '../../../readings/schedule.ts'
import { counted, durationText } from '../../../text.ts'
import { allOf, checksOf, type Finding, type FindingRow, filled, firstOf } from '../check/check.ts'
import { OLD_SECONDS } from '../system/values.ts'
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

interface PrometheusFacts {
  readonly targets: readonly ScrapeTarget[]
  /** The targets that are this exporter. */
  readonly ours: readonly ScrapeTarget[]
  readonly pools: readonly QueriedSample[]
}

const check = checksOf<PrometheusContext, PrometheusFacts>()

const answersCheck = check({
  title: 'prometheus',
  needs: [],
  gives: ['targets'],
  run: async ({ client }) => {
    const targets = await client.targets()
    const text = `scrapes ${counted(targets.length, 'target')}`
    return { findings: [{ status: 'ok', subject: client.url, text }], facts: { targets } }
  },
})

/** The job name in the provided scrape configurations and rules. */
const DEFAULT_JOB = 'sds-exporter'

const targetCheck = check({
  title: 'target',
  needs: ['targets'],
  gives: ['ours', 'pools'],
  run: async ({ client }, { targets }) => {
    const pools = await client.query('sds_pool_up')
    const ours = targets.filter(
      ({ job, instance }) =>
        job === DEFAULT_JOB ||
        pools.some(({ labels }) => labels['job'] === job && labels['instance'] === instance),
    )
    const unscraped = (filled(ours) ?? targets).find(({ health }) => health === 'unknown')
    const absent = unscraped === undefined ? NO_TARGET : unscrapedFinding(unscraped)
    return {
      findings: filled(ours.map(targetFinding)) ?? [absent],
      // Before the first scrape, Prometheus has no samples: this says nothing about the exporter.
      facts: { ours: filled(ours), pools: unscraped === undefined ? pools : undefined },
    }
  },
})

const NO_TARGET: Finding = {
  status: 'fail',
  text: 'Prometheus has no target for this exporter',
  remedy: `add a scrape job (job_name: ${DEFAULT_JOB}) with the address of the exporter, such as HOST:9438`,
}

function unscrapedFinding({ job, instance, intervalSeconds }: ScrapeTarget): Finding {
  const interval = intervalSeconds === undefined ? '' : ` (${durationText(intervalSeconds)})`
  const remedy = `wait one scrape interval${interval}, and run this again`
  return { status: 'warn', subject: `${job} ${instance}`, text: 'has not been scraped yet', remedy }
}

function targetFinding(target: ScrapeTarget): Finding {
  const { job, instance, health, lastError } = target
  if (health === 'unknown') return unscrapedFinding(target)
  const rows: readonly FindingRow[] = [[health === 'up', 'ok', 'up']]
  return firstOf(`${job} ${instance}`, rows, 'fail', `down: ${lastError}`, TARGET_DOWN)
}

const TARGET_DOWN =
  'connection refused: start the exporter; 401: check the password in --web.config.file; TLS: check the server name and the CA'

const poolsCheck = check({
  title: 'pools',
  needs: ['pools', 'ours'],
  run: ({ systems }, { pools }) => systems.flatMap((system) => systemFindings(system, pools)),
})

function systemFindings({ name, pools }: WatchedSystem, known: readonly QueriedSample[]): Finding[] {
  const mine = known.filter(({ labels }) => labels['system'] === name)
  const ids = pools?.map(({ id }) => id) ?? mine.map(({ labels }) => labels['pool_id'] ?? '')
  const wrong = ids.flatMap((id) => {
    const up = mine.filter(({ labels }) => labels['pool_id'] === id).map(({ value }) => value)
    return allOf(`${name} ${id}`, [
      [up.length === 0, 'fail', 'Prometheus does not have this pool', COMPARE_FILE],
      [up.length > 0 && !up.includes(1), 'fail', 'polls of the running exporter fail', SEE_ABOVE],
    ])
  })
  const rows: readonly FindingRow[] = [
    [mine.length === 0, 'fail', 'Prometheus has no pools of this system', USE_FILE],
  ]
  const found = firstOf(name, rows, 'ok', `up: ${counted(ids.length, 'pool')}`)
  return mine.length > 0 && wrong.length > 0 ? wrong : [found]
}

const USE_FILE = 'use this configuration file for the exporter that Prometheus scrapes, and check its log'
const COMPARE_FILE = 'compare the configuration of the running exporter with this file, and check its log'
const SEE_ABOVE =
  'see the failures above; if there are none, check the log and the network of the running exporter'

/** The lookback delta of Prometheus: older samples are not returned. */
const LOOKBACK_SECONDS = 300

const agesCheck = check({
  title: 'samples',
  needs: ['ours', 'pools'],
  run: async ({ client, systems }) => {
    const scraped = await client.query('time() - max by (system) (timestamp(sds_pool_up))')
    const newest = await client.query(
      'time() + max by (system) (sds_system_clock_skew_seconds) - max by (system) (sds_node_sample_timestamp_seconds)',
    )
    const of = (samples: readonly QueriedSample[], name: string) =>
      samples.find(({ labels }) => labels['system'] === name)?.value
    return systems.map(({ name }) => agesFinding(name, of(scraped, name), of(newest, name)))
  },
})

function agesFinding(subject: string, scraped: number | undefined, newest: number | undefined): Finding {
  const ageText = (seconds: number) => durationText(Math.max(seconds, 0))
  const age = newest === undefined ? 'unknown' : `${ageText(newest)} old`
  const text = `scraped ${ageText(scraped ?? 0)} ago, newest sample ${age}`
  const rows: readonly FindingRow[] = [
    [scraped === undefined, 'skip', 'skipped: Prometheus has no samples of this system'],
    [newest === undefined, 'warn', text, NO_VALUES],
    [newest !== undefined && newest <= OLD_SECONDS, 'ok', text],
  ]
  return firstOf(subject, rows, 'warn', text, NOT_UPDATED)
}

const NO_VALUES = 'check the log of the running exporter: it has no values of this system'
const NOT_UPDATED =
  'the system does not update its statistics, or the exporter does not poll: compare with "samples" above'

const intervalCheck = check({
  title: 'interval',
  needs: ['ours'],
  run: ({ pollSchedules }, { ours }) => {
    const periods = pollSchedules.flatMap((schedule) =>
      schedule === '' ? [] : pollPeriodMs(schedule) / 1000,
    )
    const pollSeconds = periods.length === 0 ? undefined : Math.min(...periods)
    return ours.map((target) => intervalFinding(target, pollSeconds))
  },
})

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

const historyCheck = check({
  title: 'history',
  needs: ['targets'],
  run: async ({ client, history }, { targets }) =>
    history.enabled ? [historyFinding(history, targets, await client.configuration())] : [],
})

const rulesCheck = check({
  title: 'rules',
  needs: ['ours'],
  run: async ({ client }, { ours }) => ruleFindings(await client.rules(), ours),
})

const alertingCheck = check({
  title: 'alerting',
  needs: ['targets'],
  run: async ({ client, systems, sendsTestAlert }) => {
    const names = systems.map(({ name }) => name)
    return alertingFindings(await client.alertmanagers(), await client.rules(), names, sendsTestAlert)
  },
})

export const PROMETHEUS_CHECKS = [
  answersCheck,
  targetCheck,
  poolsCheck,
  agesCheck,
  intervalCheck,
  historyCheck,
  rulesCheck,
  alertingCheck,
] as const
