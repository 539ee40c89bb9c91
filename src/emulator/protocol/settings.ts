import { SECONDS_PER_HOUR } from '../../time_units.ts'

export interface FaultArgument {
  /** As shown in the help, such as `SECONDS`. */
  readonly name: string
  readonly default: string
  readonly pattern: RegExp
}

export const text = (name: string, value: string, pattern: RegExp): FaultArgument => ({
  name,
  default: value,
  pattern,
})
export const seconds = (value: number, name = 'SECONDS') => text(name, String(value), /^\d{1,10}(\.\d+)?$/)
export const count = (name: string, value: number) => text(name, String(value), /^\d{1,6}$/)
/** An argument with a closed list of values, which help and errors show. */
export const choice = (values: readonly string[], value = values[0] ?? '', name = values.join('|')) =>
  text(name, value, new RegExp(`^(${values.map(RegExp.escape).join('|')})$`))

/** The operations that the Flux API allows, in the words of its refusals. */
export const ALLOWED_OPERATIONS = ['influxDBFrom', 'filter', 'range', 'last', 'drop', 'keep'] as const

const setting = (description: string, argument?: FaultArgument) => ({ description, argument })
const NAME = /^\w{1,100}$/

/** Faults that the code of the storage system applies itself: it looks them up in {@link Settings}. */
export const SETTING_FAULTS = {
  'late-points': setting('points of the history appear SECONDS after their time', seconds(SECONDS_PER_HOUR)),
  'fixed-history': setting('startTime, endTime and interval have no effect: hourly points of five days'),
  'no-history': setting(
    'the history of this attribute is a single 0 at the time of the response, as on ObjectScale 4.3',
    text('ATTRIBUTE', 'diskSpaceFree', NAME),
  ),
  'refused-operation': setting(
    'refuses queries with this operation, in the words of the list of allowed operations',
    choice(ALLOWED_OPERATIONS.slice(1), 'keep'),
  ),
  'combined-refused': setting('refuses queries that return several measurements'),
  'combined-empty': setting('queries that return several measurements have no rows, as on ECS 3.8.1.1'),
  'measurement-error': setting(
    'responds to queries that return this measurement with an internal error',
    text('MEASUREMENT', 'cpu', NAME),
  ),
  'absolute-refused': setting('refuses queries with absolute times in range, as real systems may'),
  'point-interval': setting('points of queries come at this interval, as on large systems', seconds(900)),
  'stale-points': setting('the newest points of queries are at least so old', seconds(900)),
  license: setting('the license has expired, or expires in 20 days', choice(['expired', 'expiring'])),
  'unready-tables': setting('so many directory tables are not ready, by queries', count('TABLES', 8)),
} as const

/** The arguments of these faults, while they are active; `''` for those without an argument. */
export type Settings = Readonly<Partial<Record<keyof typeof SETTING_FAULTS, string>>>
