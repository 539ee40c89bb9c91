import { z } from 'zod'
import { FEED_BANDWIDTH_UNITS } from '../catalogue.ts'
import { PERFORMANCE_SOURCES, type PerformanceConfig, type PollConfig } from './config.ts'
import { cronOrOff } from './values/cron.ts'
import { expression } from './values/expression.ts'
import { oneOf } from './values/units.ts'

/** Values of keys that the file sets neither for all systems nor for the system. */
const DEFAULTS: PerformanceConfig = {
  source: 'auto',
  schedule: '30 */5 * * * *',
  feedBandwidthUnit: 'MB/s',
  interfaces: { include: '', exclude: '' },
}

/** The section `performance`, of the file or of a system. */
export const performanceSchema = z.strictObject({
  source: oneOf(PERFORMANCE_SOURCES).optional(),
  schedule: cronOrOff.optional(),
  feed_bandwidth_unit: oneOf(FEED_BANDWIDTH_UNITS).optional(),
  interfaces: z.strictObject({ include: expression.optional(), exclude: expression.optional() }).prefault({}),
})
/** When the query interface is asked about the system: as for performance figures, also if these are read with every poll. */
export function systemQueriesSchedule(
  { source, schedule }: PerformanceConfig,
  poll: Pick<PollConfig, 'schedule'>,
): string {
  return source === 'feed' ? '' : schedule || poll.schedule || DEFAULTS.schedule
}
export type PerformanceSection = z.output<typeof performanceSchema>

/**
 * The first section that sets a key decides. Systems that are polled only when they are probed are queried with every
 * poll by default: behind one address, another exporter may have newer counters, and older ones would look like a reset.
 */
export function performanceConfig(
  sections: readonly (PerformanceSection | undefined)[],
  poll: Pick<PollConfig, 'schedule'>,
): PerformanceConfig {
  const first = <T>(of: (section: PerformanceSection) => T | undefined, otherwise: T): T =>
    sections.map((section) => section && of(section)).find((value) => value !== undefined) ?? otherwise
  return {
    source: first(({ source }) => source, DEFAULTS.source),
    schedule: first(({ schedule }) => schedule, poll.schedule === '' ? '' : DEFAULTS.schedule),
    feedBandwidthUnit: first((section) => section.feed_bandwidth_unit, DEFAULTS.feedBandwidthUnit),
    interfaces: {
      include: first(({ interfaces }) => interfaces.include, DEFAULTS.interfaces.include),
      exclude: first(({ interfaces }) => interfaces.exclude, DEFAULTS.interfaces.exclude),
    },
  }
}
