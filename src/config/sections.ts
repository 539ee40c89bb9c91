import { z } from 'zod'
import { FEED_BANDWIDTH_UNITS } from '../catalogue.ts'
import { RESOURCES, type ResourceName } from '../system_catalogue.ts'
import { MAX_TIMER_MS } from '../values/timers.ts'
import { cron, cronOrOff } from './values/cron.ts'
import {
  duration,
  expression,
  flag,
  oneOf,
  parseDuration,
  percent,
  positiveDuration,
  size,
  wholeUpTo,
} from './values/units.ts'

/** The sections of the file with the defaults of their keys, and what they become. */

const MAX_CONCURRENCY = 64
const MAX_REQUESTS_PER_SECOND = 1000
/** Bounds of memory: a namespace takes ten series, and a bucket four. */
const MAX_NAMESPACES = 5000
const MAX_BUCKETS = 5000
/** Longer windows would be read anew with every interval. */
const MAX_WINDOW_MS = 24 * 3_600_000

const isTimer = (ms: number) => ms <= MAX_TIMER_MS
const TOO_LONG = 'must be at most 24d'

const poll = z
  .strictObject({
    /** Empty: systems are polled only when they are probed. */
    schedule: cronOrOff.prefault('0 * * * * *'),
    max_random_delay: duration.refine(isTimer, TOO_LONG).prefault('5s'),
    /** Limit of one request, retries included. */
    timeout: positiveDuration.refine(isTimer, TOO_LONG).prefault('30s'),
    stale_after: positiveDuration.prefault('5m'),
  })
  .transform(({ schedule, max_random_delay, timeout, stale_after }) => ({
    schedule,
    maxRandomDelayMs: max_random_delay,
    timeoutMs: timeout,
    staleAfterMs: stale_after,
  }))

const timeFrame = z
  .string('expected a time frame like 7d or 4w')
  .refine((frame) => /^[1-9]\d*[dw]$/.test(frame) && parseDuration(frame) !== undefined, {
    message: 'expected a time frame in days or weeks, like 7d or 4w',
  })

function areDifferent(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length
}

const forecast = z
  .strictObject({
    /** Empty: no forecasts. */
    schedule: cronOrOff.prefault('0 0 * * * *'),
    time_frames: z
      .array(timeFrame)
      .min(1, 'needs at least one')
      // The system serves both in days.
      .refine((frames) => areDifferent(frames.map(parseDuration)), 'has a time frame twice (1w is 7d)')
      .prefault(['7d', '4w']),
    targets: z
      .array(percent)
      .min(1, 'needs at least one')
      .refine(areDifferent, 'has a target twice')
      .prefault([80, 90]),
    braces: flag.prefault(true),
  })
  .transform(({ time_frames, ...others }) => ({ ...others, timeFrames: time_frames }))

const providers = z.strictObject({ schedule: cronOrOff.prefault('0 */15 * * * *') })

const discovery = z.strictObject({ schedule: cron.prefault('30 */5 * * * *') })

const limits = z
  .strictObject({
    concurrency: wholeUpTo(MAX_CONCURRENCY).prefault(4),
    requests_per_second: wholeUpTo(MAX_REQUESTS_PER_SECOND).prefault(10),
    max_response_bytes: size.prefault('16MiB'),
  })
  .transform(({ concurrency, requests_per_second, max_response_bytes }) => ({
    concurrency,
    requestsPerSecond: requests_per_second,
    maxResponseBytes: max_response_bytes,
  }))

/** Where performance figures are read: `auto` asks the query interface if the feed lacks them. */
export const PERFORMANCE_SOURCES = ['auto', 'feed', 'query'] as const
export type PerformanceSource = (typeof PERFORMANCE_SOURCES)[number]

/** Regular expressions for whole names; empty: not set. */
const filter = { include: expression.prefault(''), exclude: expression.prefault('') }

const QUERIES_SCHEDULE = '30 */5 * * * *'

const performance = z.strictObject({
  source: oneOf(PERFORMANCE_SOURCES).prefault('auto'),
  schedule: cronOrOff.optional(),
  /** The unit of the feed's attributes with the value tag `Bandwidth`. */
  feed_bandwidth_unit: oneOf(FEED_BANDWIDTH_UNITS).prefault('MB/s'),
  interfaces: z.strictObject(filter).prefault({}),
})

/**
 * Systems that are polled only when they are probed are queried with every poll by default: behind one address, another
 * exporter may have newer counters, and older ones would look like a reset.
 */
export function performanceOf(section: FileSections['performance'], { schedule }: FileSections['poll']) {
  const { source, interfaces, feed_bandwidth_unit: feedBandwidthUnit } = section
  const otherwise = schedule === '' ? '' : QUERIES_SCHEDULE
  // An empty schedule: with every poll.
  return { source, interfaces, feedBandwidthUnit, schedule: section.schedule ?? otherwise }
}

type ScheduledName = Exclude<ResourceName, 'pools' | 'system_queries'>
const schedule = (name: ScheduledName) => ({ schedule: cronOrOff.prefault(RESOURCES[name].schedule) })

const resources = z.strictObject({
  system: z.strictObject(schedule('system')).prefault({}),
  replication: z.strictObject(schedule('replication')).prefault({}),
  namespaces: z
    .strictObject({ ...schedule('namespaces'), ...filter, max: wholeUpTo(MAX_NAMESPACES).prefault(500) })
    .prefault({}),
  quotas: z.strictObject(schedule('quotas')).prefault({}),
  /** The names are `NAMESPACE/BUCKET`. */
  buckets: z
    .strictObject({ ...schedule('buckets'), ...filter, top: wholeUpTo(MAX_BUCKETS).prefault(100) })
    .prefault({}),
  inventory: z.strictObject(schedule('inventory')).prefault({}),
} satisfies Record<ScheduledName, z.ZodType>)

/** The query interface is asked about the system as for performance figures, also if these are read with every poll. */
export function resourcesOf(
  section: FileSections['resources'],
  { poll, discovery, performance }: Omit<SectionsConfig, 'resources'>,
) {
  const { namespaces, buckets } = section
  const queries =
    performance.source === 'feed' ? '' : performance.schedule || poll.schedule || QUERIES_SCHEDULE
  return {
    /** Empty: not read. */
    schedules: {
      system: section.system.schedule,
      pools: discovery.schedule,
      replication: section.replication.schedule,
      namespaces: namespaces.schedule,
      quotas: section.quotas.schedule,
      buckets: buckets.schedule,
      inventory: section.inventory.schedule,
      system_queries: queries,
    } satisfies Record<ResourceName, string>,
    namespaces: { include: namespaces.include, exclude: namespaces.exclude, max: namespaces.max },
    buckets: { include: buckets.include, exclude: buckets.exclude, top: buckets.top },
  }
}

/** The sections of a system. Those of the file hold for systems that do not set their keys. */
export const SYSTEM_SECTIONS = {
  poll: poll.prefault({}),
  forecast: forecast.prefault({}),
  providers: providers.prefault({}),
  discovery: discovery.prefault({}),
  limits: limits.prefault({}),
  performance: performance.prefault({}),
  resources: resources.prefault({}),
}
type FileSections = {
  readonly [Name in keyof typeof SYSTEM_SECTIONS]: Readonly<z.output<(typeof SYSTEM_SECTIONS)[Name]>>
}

export interface SectionsConfig extends Omit<FileSections, 'performance' | 'resources'> {
  readonly performance: Readonly<ReturnType<typeof performanceOf>>
  readonly resources: Readonly<ReturnType<typeof resourcesOf>>
}

export const historySection = z
  .strictObject({
    enabled: flag.prefault(false),
    window: positiveDuration
      .refine((ms) => ms <= MAX_WINDOW_MS, 'must be at most 24h: backfill reads longer periods')
      .prefault('1h'),
    interval: positiveDuration.refine((ms) => ms % 1000 === 0, 'must be whole seconds').prefault('5m'),
  })
  .refine(({ window, interval }) => window >= 2 * interval, {
    path: ['window'],
    message: 'must be at least twice history.interval',
    when: ({ issues }) => issues.every(({ path = [] }) => path[0] === 'enabled'),
  })
  .transform(({ enabled, window, interval }) => ({ enabled, windowMs: window, intervalMs: interval }))
