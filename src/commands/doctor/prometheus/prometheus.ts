import type { PoolRef } from '../../../api/feed/pools.ts'
import type { HistoryConfig } from '../../../config/config.ts'
import { pollPeriodMs } from '../../../poller/period.ts'
import { counted, durationText } from '../../../text.ts'
import { checksOf, type Finding } from '../check/check.ts'
import { OLD_SECONDS } from '../data/ages.ts'
import type { PrometheusClient, QueriedSample, ScrapeTarget } from './client.ts'
import { alertingFinding, historyFinding, ruleFindings } from './findings.ts'

/** A system and its pools; undefined if the pools are unknown. */
export interface WatchedSystem {
  readonly name: string
  readonly pools: readonly PoolRef[] | undefined
}

export interface PrometheusContext {
  readonly client: PrometheusClient
  readonly systems: readonly WatchedSystem[]
  /** `poll.schedule` of the configuration; empty: systems are polled when they are probed. */
  readonly pollSchedule: string
  readonly history: HistoryConfig
}

interface PrometheusFacts {
  /** All targets of Prometheus. */
  readonly targets: readonly ScrapeTarget[]
  /** The targets that are this exporter. */
  readonly ours: readonly ScrapeTarget[]
  /** The samples of `sds_pool_up`. */
  readonly pools: readonly QueriedSample[]
}

export const PROMETHEUS_GIVEN_BY = {
  targets: 'prometheus',
  ours: 'target',
  pools: 'target',
} as const satisfies Record<keyof PrometheusFacts, string>

const check = checksOf<PrometheusContext, PrometheusFacts>()

const answersCheck = check({
  title: 'prometheus',
  needs: [],
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
  run: async ({ client }, { targets }) => {
    const pools = await client.query('sds_pool_up')
    const ours = targets.filter(
      ({ job, instance }) =>
        job === DEFAULT_JOB ||
        pools.some(({ labels }) => labels['job'] === job && labels['instance'] === instance),
    )
    if (ours.length === 0) return { findings: [NO_TARGET] }
    return { findings: ours.map(targetFinding), facts: { ours, pools } }
  },
})

const NO_TARGET: Finding = {
  status: 'fail',
  text: 'Prometheus has no target for this exporter',
  remedy: `add a scrape job (job_name: ${DEFAULT_JOB}) with the address of the exporter, such as HOST:9438`,
}

function targetFinding({ job, instance, health, lastError }: ScrapeTarget): Finding {
  const subject = `${job} ${instance}`
  if (health === 'up') return { status: 'ok', subject, text: 'up' }
  if (health === 'unknown') return { status: 'info', subject, text: 'has not been scraped yet' }
  const remedy =
    'connection refused: start the exporter; 401: check the password in --web.config.file; TLS: check the server name and the CA'
  return { status: 'fail', subject, text: `down: ${lastError}`, remedy }
}

const poolsCheck = check({
  title: 'pools',
  needs: ['pools', 'ours'],
  run: ({ systems }, { pools }) => ({ findings: systems.flatMap((system) => systemFindings(system, pools)) }),
})

function systemFindings({ name, pools }: WatchedSystem, known: readonly QueriedSample[]): Finding[] {
  const mine = known.filter(({ labels }) => labels['system'] === name)
  if (mine.length === 0) {
    const remedy = 'use this configuration file for the exporter that Prometheus scrapes, and check its log'
    return [{ status: 'fail', subject: name, text: 'Prometheus has no pools of this system', remedy }]
  }
  const up = (id: string) => mine.filter(({ labels }) => labels['pool_id'] === id).map(({ value }) => value)
  const ids = pools?.map(({ id }) => id) ?? mine.map(({ labels }) => labels['pool_id'] ?? '')
  const wrong = ids.flatMap((id) => poolFindings(name, id, up(id)))
  if (wrong.length > 0) return wrong
  return [{ status: 'ok', subject: name, text: `up: ${counted(ids.length, 'pool')}` }]
}

function poolFindings(system: string, id: string, up: readonly number[]): Finding[] {
  const subject = `${system} ${id}`
  if (up.length === 0) {
    const remedy = 'compare the configuration of the running exporter with this file, and check its log'
    return [{ status: 'fail', subject, text: 'Prometheus does not have this pool', remedy }]
  }
  if (up.some((value) => value === 1)) return []
  const remedy =
    'see the failures above; if there are none, check the log and the network of the running exporter'
  return [{ status: 'fail', subject, text: 'polls of the running exporter fail', remedy }]
}

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
    return {
      findings: systems.map(({ name }) => agesFinding(name, of(scraped, name), of(newest, name))),
    }
  },
})

function agesFinding(subject: string, scraped: number | undefined, newest: number | undefined): Finding {
  if (scraped === undefined)
    return { status: 'skip', subject, text: 'skipped: Prometheus has no samples of this system' }
  const text = `scraped ${durationText(Math.max(scraped, 0))} ago, newest sample ${newest === undefined ? 'unknown' : `${durationText(Math.max(newest, 0))} old`}`
  if (newest === undefined) {
    return {
      status: 'warn',
      subject,
      text,
      remedy: 'check the log of the running exporter: it has no values of this system',
    }
  }
  if (newest <= OLD_SECONDS) return { status: 'ok', subject, text }
  return {
    status: 'warn',
    subject,
    text,
    remedy:
      'the system does not update its statistics, or the exporter does not poll: compare with "samples" above',
  }
}

const intervalCheck = check({
  title: 'interval',
  needs: ['ours'],
  run: ({ pollSchedule }, { ours }) => {
    const pollSeconds = pollSchedule === '' ? undefined : pollPeriodMs(pollSchedule) / 1000
    return { findings: ours.map((target) => intervalFinding(target, pollSeconds)) }
  },
})

/** @param pollSeconds undefined: each probe polls */
function intervalFinding(
  { job, instance, intervalSeconds }: ScrapeTarget,
  pollSeconds: number | undefined,
): Finding {
  const subject = `${job} ${instance}`
  const polled =
    pollSeconds === undefined
      ? 'systems are polled when they are probed'
      : `poll.schedule polls every ${durationText(pollSeconds)}`
  if (intervalSeconds === undefined)
    return { status: 'info', subject, text: 'Prometheus does not report its scrape interval' }
  const text = `scraped every ${durationText(intervalSeconds)}, ${polled}`
  if (intervalSeconds > LOOKBACK_SECONDS / 2) {
    const remedy =
      'set scrape_interval to 1m: series end after 5 minutes without a sample, so a single lost scrape would cause a gap'
    return { status: 'warn', subject, text, remedy }
  }
  if (pollSeconds === undefined || intervalSeconds <= pollSeconds) return { status: 'ok', subject, text }
  const remedy = 'decrease scrape_interval, or poll less often: polls between two scrapes are not stored'
  return { status: 'warn', subject, text, remedy }
}

const historyCheck = check({
  title: 'history',
  needs: ['targets'],
  run: async ({ client, history }, { targets }) => ({
    findings: history.enabled ? [historyFinding(history, targets, await client.configuration())] : [],
  }),
})

const rulesCheck = check({
  title: 'rules',
  needs: ['ours'],
  run: async ({ client }, { ours }) => ({ findings: ruleFindings(await client.rules(), ours) }),
})

const alertingCheck = check({
  title: 'alerting',
  needs: ['targets'],
  run: async ({ client }) => ({ findings: [alertingFinding(await client.alertmanagers())] }),
})

/** Checks of Prometheus, in order. */
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
