import { z } from 'zod'
import { FEED_BANDWIDTH_UNITS } from '../catalogue.ts'
import { RESOURCES, type ResourceName, type ResourceRow, type ResourceSection } from '../system_catalogue.ts'
import { type ReadText, readTextFile } from '../values/files.ts'
import { MAX_PORT } from '../values/listen_address.ts'
import { MAX_TIMER_MS } from '../values/timers.ts'
import { type TlsConfig, tlsSchema } from './tls.ts'
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

export interface ResourceConfig {
  /** Empty: not read. */
  readonly schedule: string
  /** Regular expressions for whole names, of buckets `NAMESPACE/BUCKET`; empty: not set. */
  readonly include: string
  readonly exclude: string
  /** Objects that are exported at most. */
  readonly max: number
  /** Where it is read, if not from the management API. */
  readonly dataPort?: DataPortConfig
}
const NO_LIMITS = { include: '', exclude: '', max: Number.POSITIVE_INFINITY }

export interface DataPortConfig {
  readonly scheme: 'http' | 'https'
  readonly port: number
  readonly tls: TlsConfig
  /** Whether the maintenance mode is read, too, which costs a node more. */
  readonly maintenance: boolean
}

/** The keys of the section of a resource that its row has, with their defaults. */
function sectionOf({ schedule, isOfPolls, hasFilter, max, dataPort }: ResourceRow, ...files: FileArguments) {
  return z
    .strictObject({
      schedule: (isOfPolls ? cron : cronOrOff).prefault(schedule),
      ...(hasFilter && filter),
      ...(max && { [max.key]: wholeUpTo(max.most).prefault(max.default) }),
      ...(dataPort && {
        scheme: oneOf(['http', 'https']).prefault(dataPort.scheme),
        port: wholeUpTo(MAX_PORT).prefault(dataPort.port),
        maintenance: flag.prefault(false),
        tls_config: tlsSchema(...files, 'pem').prefault({}),
      }),
    })
    .transform((section): ResourceConfig => {
      const { tls_config: tls, scheme, port, maintenance, ...keys } = section as SectionKeys
      const limit = max && { max: keys[max.key] as number }
      return { ...NO_LIMITS, ...keys, ...limit, ...(tls && { dataPort: { scheme, port, maintenance, tls } }) }
    })
    .prefault({})
}
type SectionKeys = ResourceConfig &
  DataPortConfig &
  Readonly<Record<string, unknown>> & { readonly tls_config?: TlsConfig }
type FileArguments = readonly [folder: string, read: ReadText]

/** The sections of the resources, at the top of the file or below `resources`. */
function sectionsOf(isAtTop: boolean, ...files: FileArguments) {
  const rows = Object.entries<ResourceRow>(RESOURCES).filter(
    ([, { section, isQueried }]) => !isQueried && (section !== undefined) === isAtTop,
  )
  return Object.fromEntries(rows.map(([name, row]) => [row.section ?? name, sectionOf(row, ...files)]))
}

/**
 * The resources by name.
 * @param schedule of the Flux API, which is asked for values of the system, too; empty: the usual one
 */
export function resourcesOf(
  { resources, ...atTop }: Pick<FileSections, 'resources' | ResourceSection>,
  schedule: string,
  source: PerformanceSource,
) {
  const queries = { ...NO_LIMITS, schedule: source === 'feed' ? '' : schedule || QUERIES_SCHEDULE }
  const entries = Object.entries<ResourceRow>(RESOURCES).map(([name, { isQueried, section }]) => {
    return [name, isQueried ? queries : section === undefined ? resources[name] : atTop[section]]
  })
  return Object.fromEntries(entries) as Readonly<Record<ResourceName, ResourceConfig>>
}

export const FORECAST_SECTION = forecast.prefault({})

/** The sections of a system. Those of the file hold for systems that do not set their keys. */
export function systemSections(...files: FileArguments) {
  const ofResources = sectionsOf(true, ...files) as Record<ResourceSection, ReturnType<typeof sectionOf>>
  return {
    poll: poll.prefault({}),
    forecast: FORECAST_SECTION,
    ...ofResources,
    limits: limits.prefault({}),
    performance: performance.prefault({}),
    resources: z.strictObject(sectionsOf(false, ...files)).prefault({}),
  }
}
export const SECTION_NAMES: readonly string[] = Object.keys(systemSections('', readTextFile))
type Sections = ReturnType<typeof systemSections>
type FileSections = { readonly [Name in keyof Sections]: Readonly<z.output<Sections[Name]>> }

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
