import { z } from 'zod'
import { FEED_BANDWIDTH_UNITS } from '../catalogue.ts'
import {
  RESOURCE_NAMES,
  RESOURCES,
  type ResourceName,
  type ResourceRow,
  type ResourceSection,
} from '../system_catalogue.ts'
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

/** Where performance metrics are read: `auto` asks the Flux API if the dashboard API lacks them. */
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
  const usual = schedule === '' ? '' : QUERIES_SCHEDULE
  // An empty schedule: with every poll.
  return { source, interfaces, feedBandwidthUnit, schedule: section.schedule ?? usual }
}

/** What is read of a resource, and when. */
export interface ResourceConfig {
  /** Empty: not read. */
  readonly schedule: string
  /** Regular expressions for whole names, of buckets `NAMESPACE/BUCKET`; empty: not set. */
  readonly include: string
  readonly exclude: string
  /** Objects that are exported at most. */
  readonly max: number
}

/** A section of a resource, with the keys and defaults of its row. */
function sectionOf({ schedule, isOfPolls, hasFilter, max }: ResourceRow) {
  const keys: Record<string, z.ZodType<string | number>> = {
    schedule: (isOfPolls ? cron : cronOrOff).prefault(schedule),
    ...(hasFilter && filter),
    ...(max && { [max.key]: wholeUpTo(max.most).prefault(max.default) }),
  }
  return z
    .strictObject(keys)
    .transform((section) => resourceConfig(section, section[max?.key ?? '']))
    .prefault({})
}

function resourceConfig(
  { schedule = '', include = '', exclude = '' }: Readonly<Record<string, string | number>>,
  max: string | number = Number.POSITIVE_INFINITY,
): ResourceConfig {
  return { schedule: String(schedule), include: String(include), exclude: String(exclude), max: Number(max) }
}

const ROWS = Object.entries<ResourceRow>(RESOURCES).filter(([, { isQueried }]) => !isQueried)
const sectionsOf = (isChosen: (row: ResourceRow) => boolean) =>
  Object.fromEntries(
    ROWS.filter(([, row]) => isChosen(row)).map(([name, row]) => [row.section ?? name, sectionOf(row)]),
  )

const resources = z.strictObject(sectionsOf(({ section }) => section === undefined))
/** Sections at the top of the file. */
const ownSections = sectionsOf(({ section }) => section !== undefined) as Record<
  ResourceSection,
  ReturnType<typeof sectionOf>
>

/** The Flux API is asked for values of the system as for performance metrics, also if these are read with every poll. */
export function resourcesOf(
  sections: Pick<FileSections, 'resources' | ResourceSection | 'poll'>,
  { source, schedule }: SectionsConfig['performance'],
) {
  const queries = source === 'feed' ? '' : schedule || sections.poll.schedule || QUERIES_SCHEDULE
  const configOf = (name: ResourceName): ResourceConfig | undefined => {
    const { isQueried, section }: ResourceRow = RESOURCES[name]
    if (isQueried) return resourceConfig({ schedule: queries })
    return section === undefined ? sections.resources[name] : sections[section]
  }
  return Object.fromEntries(RESOURCE_NAMES.map((name) => [name, configOf(name)])) as Readonly<
    Record<ResourceName, ResourceConfig>
  >
}

/** The sections of a system. Those of the file hold for systems that do not set their keys. */
export const SYSTEM_SECTIONS = {
  poll: poll.prefault({}),
  forecast: forecast.prefault({}),
  ...ownSections,
  limits: limits.prefault({}),
  performance: performance.prefault({}),
  resources: resources.prefault({}),
}
type FileSections = {
  readonly [Name in keyof typeof SYSTEM_SECTIONS]: Readonly<z.output<(typeof SYSTEM_SECTIONS)[Name]>>
}

export interface SectionsConfig extends Omit<FileSections, 'performance' | 'resources' | ResourceSection> {
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
