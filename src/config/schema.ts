import { z } from 'zod'
import type { AlertingConfig } from '../alerting/config.ts'
import { readTextFile } from '../values/files.ts'
import { MAX_TIMER_MS } from '../values/timers.ts'
import type { Config, ForecastConfig, HistoryConfig, LimitsConfig, PollConfig } from './config.ts'
import { performanceConfig, performanceSchema, systemQueriesSchedule } from './performance_schema.ts'
import { resourcesConfig, resourcesSchema } from './resources_schema.ts'
import { systemSchema } from './system_schema.ts'
import { cron, cronOrOff } from './values/cron.ts'
import type { ReadText } from './values/readings.ts'
import { typeMessage } from './values/schema_problems.ts'
import { duration, flag, parseDuration, percent, positiveDuration, size, wholeUpTo } from './values/units.ts'

/** Values of keys that the file does not set. */
const DEFAULTS = {
  poll: { schedule: '0 * * * * *', max_random_delay: '5s', timeout: '30s', stale_after: '5m' },
  forecast: { schedule: '0 0 * * * *', time_frames: ['7d', '4w'], targets: [80, 90], braces: true },
  providers: { schedule: '0 */15 * * * *' },
  discovery: { schedule: '30 */5 * * * *' },
  limits: { concurrency: 4, requests_per_second: 10, max_response_bytes: '16MiB' },
  history: { enabled: false, window: '1h', interval: '5m' },
} as const

const MAX_CONCURRENCY = 64
const MAX_REQUESTS_PER_SECOND = 1000

const isTimer = (ms: number) => ms <= MAX_TIMER_MS
const TOO_LONG = 'must be at most 24d'

const poll = z
  .strictObject({
    schedule: cronOrOff.prefault(DEFAULTS.poll.schedule),
    max_random_delay: duration.refine(isTimer, TOO_LONG).prefault(DEFAULTS.poll.max_random_delay),
    timeout: positiveDuration.refine(isTimer, TOO_LONG).prefault(DEFAULTS.poll.timeout),
    stale_after: positiveDuration.prefault(DEFAULTS.poll.stale_after),
  })
  .transform(
    (file): PollConfig => ({
      schedule: file.schedule,
      maxRandomDelayMs: file.max_random_delay,
      timeoutMs: file.timeout,
      staleAfterMs: file.stale_after,
    }),
  )

const timeFrame = z
  .string('expected a time frame like 7d or 4w')
  .refine((frame) => /^[1-9]\d*[dw]$/.test(frame) && parseDuration(frame) !== undefined, {
    message: 'expected a time frame in days or weeks, like 7d or 4w',
  })
const forecast = z
  .strictObject({
    schedule: cronOrOff.prefault(DEFAULTS.forecast.schedule),
    time_frames: z
      .array(timeFrame)
      .min(1, 'needs at least one')
      .prefault([...DEFAULTS.forecast.time_frames]),
    targets: z
      .array(percent)
      .min(1, 'needs at least one')
      .prefault([...DEFAULTS.forecast.targets]),
    braces: flag.prefault(DEFAULTS.forecast.braces),
  })
  .transform(
    (file): ForecastConfig => ({
      schedule: file.schedule,
      timeFrames: file.time_frames,
      targets: file.targets,
      braces: file.braces,
    }),
  )

const limits = z
  .strictObject({
    concurrency: wholeUpTo(MAX_CONCURRENCY).prefault(DEFAULTS.limits.concurrency),
    requests_per_second: wholeUpTo(MAX_REQUESTS_PER_SECOND).prefault(DEFAULTS.limits.requests_per_second),
    max_response_bytes: size.prefault(DEFAULTS.limits.max_response_bytes),
  })
  .transform(
    (file): LimitsConfig => ({
      concurrency: file.concurrency,
      requestsPerSecond: file.requests_per_second,
      maxResponseBytes: file.max_response_bytes,
    }),
  )

/** Longer windows would be read anew with every interval. */
const MAX_WINDOW_MS = 24 * 3_600_000

const history = z
  .strictObject({
    enabled: flag.prefault(DEFAULTS.history.enabled),
    window: positiveDuration
      .refine((ms) => ms <= MAX_WINDOW_MS, 'must be at most 24h: backfill reads longer periods')
      .prefault(DEFAULTS.history.window),
    interval: positiveDuration
      .refine((ms) => ms % 1000 === 0, 'must be whole seconds')
      .prefault(DEFAULTS.history.interval),
  })
  .refine(({ window, interval }) => window >= 2 * interval, {
    path: ['window'],
    message: 'must be at least twice history.interval',
    when: ({ issues }) => issues.every(({ path = [] }) => path[0] === 'enabled'),
  })
  .transform(
    (file): HistoryConfig => ({ enabled: file.enabled, windowMs: file.window, intervalMs: file.interval }),
  )

/**
 * Schema of the configuration file. Converts it into {@link Config}: durations become milliseconds, sizes become bytes,
 * secret files are checked. Unknown keys are errors. Relative paths resolve against `folder`.
 */
export function fileSchema(
  folder: string,
  alerting: z.ZodType<AlertingConfig>,
  read: ReadText = readTextFile,
): z.ZodType<Config> {
  return fileKeys(folder, alerting, read).transform(({ performance, resources, systems, ...file }) => ({
    ...file,
    systems: systems.map((system) => {
      const ofSystem = performanceConfig([system.performance, performance], file.poll)
      const others = {
        pools: file.discovery.schedule,
        system_queries: systemQueriesSchedule(ofSystem, file.poll),
      }
      return {
        ...system,
        performance: ofSystem,
        resources: resourcesConfig([system.resources, resources], others),
      }
    }),
  }))
}

function fileKeys(folder: string, alerting: z.ZodType<AlertingConfig>, read: ReadText) {
  return z.strictObject(
    {
      systems: z
        .array(systemSchema(folder, read), 'expected a list of systems')
        .min(1, 'needs at least one system'),
      poll: poll.prefault({}),
      forecast: forecast.prefault({}),
      providers: z.strictObject({ schedule: cronOrOff.prefault(DEFAULTS.providers.schedule) }).prefault({}),
      discovery: z.strictObject({ schedule: cron.prefault(DEFAULTS.discovery.schedule) }).prefault({}),
      limits: limits.prefault({}),
      performance: performanceSchema.optional(),
      resources: resourcesSchema.optional(),
      history: history.prefault({}),
      alerting: alerting.optional(),
    },
    typeMessage('expected a mapping with the key systems'),
  )
}

/** The keys of the file, without `alerting`. */
export const CONFIG_KEYS: readonly string[] = Object.keys(fileKeys('', z.never(), readTextFile).shape).filter(
  (key) => key !== 'alerting',
)
