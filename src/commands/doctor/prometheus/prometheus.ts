import type { PoolRef } from '../../../api/feed/pools.ts'
import { counted } from '../../../counted.ts'
import { pollPeriodMs } from '../../../poller/period.ts'
import { durationText } from '../../cli/quantities.ts'
import { checksOf, type Finding } from '../check/check.ts'
import { OLD_SECONDS } from '../data/ages.ts'
import type { PrometheusClient, QueriedSample, ScrapeTarget } from './client.ts'

/** A system and its pools, as far as they are known. */
export interface WatchedSystem {
  readonly name: string
  readonly pools: readonly PoolRef[] | undefined
}

export interface PrometheusContext {
  readonly client: PrometheusClient
  readonly systems: readonly WatchedSystem[]
  /** `poll.schedule` of the configuration. */
  readonly pollSchedule: string
}

interface PrometheusFacts {
  /** Everything that it scrapes. */
  readonly targets: readonly ScrapeTarget[]
  /** Those of them that give our metrics. */
  readonly ours: readonly ScrapeTarget[]
  /** What it knows of `sds_pool_up`. */
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

/** The name that our scrape configurations and rules give the job. */
const USUAL_JOB = 'sds-exporter'

const targetCheck = check({
  title: 'target',
  needs: ['targets'],
  run: async ({ client }, { targets }) => {
    const pools = await client.query('sds_pool_up')
    const ours = targets.filter(
      ({ job, instance }) =>
        job === USUAL_JOB ||
        pools.some(({ labels }) => labels['job'] === job && labels['instance'] === instance),
    )
    if (ours.length === 0) return { findings: [NO_TARGET] }
    return { findings: ours.map(judgeTarget), facts: { ours, pools } }
  },
})

const NO_TARGET: Finding = {
  status: 'fail',
  text: 'no target gives the metrics of this exporter',
  remedy: `add a scrape job (job_name: ${USUAL_JOB}) with the address of the exporter, such as HOST:9438`,
}

function judgeTarget({ job, instance, health, lastError }: ScrapeTarget): Finding {
  const subject = `${job} ${instance}`
  if (health === 'up') return { status: 'ok', subject, text: 'up' }
  if (health === 'unknown') return { status: 'info', subject, text: 'has not been scraped yet' }
  const remedy =
    'refused: start the exporter; 401: compare the password with --web.config.file; TLS: compare name and authority'
  return { status: 'fail', subject, text: `down: ${lastError}`, remedy }
}

const poolsCheck = check({
  title: 'pools',
  needs: ['pools', 'ours'],
  run: ({ systems }, { pools }) => ({ findings: systems.flatMap((system) => judgeSystem(system, pools)) }),
})

function judgeSystem({ name, pools }: WatchedSystem, known: readonly QueriedSample[]): Finding[] {
  const mine = known.filter(({ labels }) => labels['system'] === name)
  if (mine.length === 0) {
    const remedy = 'give the exporter that Prometheus scrapes this configuration file, and look at its log'
    return [{ status: 'fail', subject: name, text: 'Prometheus knows no pool of this system', remedy }]
  }
  const up = (id: string) => mine.filter(({ labels }) => labels['pool_id'] === id).map(({ value }) => value)
  const ids = pools?.map(({ id }) => id) ?? mine.map(({ labels }) => labels['pool_id'] ?? '')
  const wrong = ids.flatMap((id) => judgePool(name, id, up(id)))
  if (wrong.length > 0) return wrong
  return [{ status: 'ok', subject: name, text: `up: ${counted(ids.length, 'pool')}` }]
}

function judgePool(system: string, id: string, up: readonly number[]): Finding[] {
  const subject = `${system} ${id}`
  if (up.length === 0) {
    const remedy = 'compare the configuration of the running exporter with this one, and look at its log'
    return [{ status: 'fail', subject, text: 'Prometheus does not know this pool', remedy }]
  }
  if (up.some((value) => value === 1)) return []
  const remedy =
    'see what fails above; if nothing does, look at the log and the route of the running exporter'
  return [{ status: 'fail', subject, text: 'its polls fail for the running exporter', remedy }]
}

/** What Prometheus takes for gone. */
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
      findings: systems.map(({ name }) => judgeAges(name, of(scraped, name), of(newest, name))),
    }
  },
})

function judgeAges(subject: string, scraped: number | undefined, newest: number | undefined): Finding {
  if (scraped === undefined) return { status: 'skip', subject, text: 'skipped: Prometheus has nothing of it' }
  const text = `scraped ${durationText(Math.max(scraped, 0))} ago, newest sample ${newest === undefined ? 'unknown' : `${durationText(Math.max(newest, 0))} old`}`
  if (newest === undefined) {
    return {
      status: 'warn',
      subject,
      text,
      remedy: 'look at the log of the running exporter: it has no values of this system',
    }
  }
  if (newest <= OLD_SECONDS) return { status: 'ok', subject, text }
  return {
    status: 'warn',
    subject,
    text,
    remedy: 'the statistics of the system stand still, or the exporter does: compare with "samples" above',
  }
}

const intervalCheck = check({
  title: 'interval',
  needs: ['ours'],
  run: ({ pollSchedule }, { ours }) => {
    const pollSeconds = pollPeriodMs(pollSchedule) / 1000
    return { findings: ours.map((target) => judgeInterval(target, pollSeconds)) }
  },
})

function judgeInterval({ job, instance, intervalSeconds }: ScrapeTarget, pollSeconds: number): Finding {
  const subject = `${job} ${instance}`
  const polled = `poll.schedule polls every ${durationText(pollSeconds)}`
  if (intervalSeconds === undefined)
    return { status: 'info', subject, text: 'Prometheus does not tell its scrape interval' }
  const text = `scraped every ${durationText(intervalSeconds)}, ${polled}`
  if (intervalSeconds > LOOKBACK_SECONDS / 2) {
    const remedy =
      'set scrape_interval to 1m: Prometheus forgets a series after 5 minutes, one lost scrape would leave a gap'
    return { status: 'warn', subject, text, remedy }
  }
  if (intervalSeconds <= pollSeconds) return { status: 'ok', subject, text }
  const remedy = 'lower scrape_interval, or make poll.schedule rarer: polls in between are never seen'
  return { status: 'warn', subject, text, remedy }
}

/** What Prometheus makes of the exporter, in the order in which it is looked at. */
export const PROMETHEUS_CHECKS = [answersCheck, targetCheck, poolsCheck, agesCheck, intervalCheck] as const
