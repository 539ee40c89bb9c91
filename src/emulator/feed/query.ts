import { CATEGORIES } from '../../catalogue.ts'
import type { ForecastRequest } from '../model/forecast.ts'
import type { StorageModel } from '../model/model.ts'
import { EmulatedError } from '../protocol/errors.ts'
import type { Profile } from '../protocol/profiles.ts'
import type { Settings } from '../protocol/settings.ts'

export type FeedQuery = Readonly<ReturnType<typeof parseFeedQuery>>

/** The input of one response of the dashboard API. `now` in epoch seconds. */
export interface FeedRequest {
  readonly model: StorageModel
  readonly profile: Profile
  readonly query: FeedQuery
  readonly settings: Settings
  readonly now: number
}

/** Times in epoch seconds, interval in seconds. */
export interface FeedRange {
  readonly start: number
  readonly end: number
  readonly interval: number
}

/** Defaults of real systems: hourly points of the last five days. */
const DEFAULT_RANGE_SECONDS = 5 * 86_400
const DEFAULT_INTERVAL_SECONDS = 3_600
const DEFAULT_FORECAST = { frames: [7, 30], targets: [80, 90] } as const
const DAYS_PER_WEEK = 7
const MAX_FRAME_DAYS = 3_650
const MAX_TARGET_PERCENT = 100
const MAX_FORECAST_VALUES = 20
/** The latest time that is accepted: in the year 5138. */
const MAX_TIME = 100_000_000_000

/**
 * Parses the raw query string. Only `&` separates parameters: `cfTimeFrame={7d;4w}` contains raw semicolons, at
 * which other parsers split. Unknown parameters are ignored. Of a repeated parameter the first value is used;
 * the values of `dataType` are combined.
 *
 * @throws EmulatedError 400 with code 1008 (malformed), 1029 (not a time) or 1014 (out of range)
 */
export function parseFeedQuery(raw: string, now: number, maxPoints: number, settings: Settings = {}) {
  const parameters = new URLSearchParams(raw)
  const first = (name: string) => parameters.get(name) ?? undefined
  const types = parameters.getAll('dataType')
  for (const type of types) oneOf('dataType', type, ['current', 'historical'])
  const category = first('category')
  return {
    current: types.length === 0 || types.includes('current'),
    historical: types.length === 0 || types.includes('historical'),
    category: category === undefined ? undefined : oneOf('category', category, CATEGORIES),
    range: parseRange(settings['fixed-history'] === undefined ? first : () => undefined, now, maxPoints),
    forecast: parseForecast(first),
  }
}

export function includesCategory(query: FeedQuery, category: string): boolean {
  return query.category === undefined || query.category === category
}

type First = (name: string) => string | undefined

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw new EmulatedError(
    'badParameter',
    `Parameter ${name} must be one of ${allowed.join(', ')}, not "${value}"`,
  )
}

function parseRange(first: First, now: number, maxPoints: number): FeedRange {
  const end = parseTime('endTime', first('endTime')) ?? now
  const start = parseTime('startTime', first('startTime')) ?? Math.max(0, end - DEFAULT_RANGE_SECONDS)
  const interval = parseInterval(first('interval'))
  if (start > end) throw new EmulatedError('badRange', 'Parameter startTime must not be later than endTime')
  if (Math.floor(end / interval) - Math.ceil(start / interval) >= maxPoints) {
    throw new EmulatedError('badRange', `The period has more than ${maxPoints} points; request a shorter one`)
  }
  return { start, end, interval }
}

function parseTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (time <= MAX_TIME) return time
  throw new EmulatedError('badTime', `Parameter ${name} must be epoch seconds, not "${text}"`)
}

function parseInterval(text: string | undefined): number {
  if (text === undefined) return DEFAULT_INTERVAL_SECONDS
  if (!/^\d{1,10}$/.test(text)) {
    throw new EmulatedError('badParameter', `Parameter interval must be a number of seconds, not "${text}"`)
  }
  if (Number(text) === 0) throw new EmulatedError('badRange', 'Parameter interval must be at least 1 second')
  return Number(text)
}

function parseForecast(first: First): ForecastRequest {
  return {
    frames: parseList('cfTimeFrame', first, /^(\d{1,4})([dw])$/, MAX_FRAME_DAYS) ?? DEFAULT_FORECAST.frames,
    targets: parseList('cfTarget', first, /^(\d{1,4})$/, MAX_TARGET_PERCENT) ?? DEFAULT_FORECAST.targets,
  }
}

/** Accepts `{7d;4w}` and `7d;4w`: the API document does not say whether the braces are literal. */
function parseList(name: string, first: First, item: RegExp, max: number): number[] | undefined {
  const text = first(name)
  if (text === undefined) return undefined
  const inner = /^\{(.*)\}$/.exec(text)?.[1] ?? text
  const numbers = inner
    .replace(/;$/, '')
    .split(';')
    .map((part) => {
      const [, count, unit] = item.exec(part) ?? []
      if (count === undefined)
        throw new EmulatedError('badParameter', `Parameter ${name} is malformed: "${text}"`)
      return unit === 'w' ? DAYS_PER_WEEK * Number(count) : Number(count)
    })
  if (numbers.length <= MAX_FORECAST_VALUES && numbers.every((one) => one >= 1 && one <= max)) return numbers
  throw new EmulatedError(
    'badRange',
    `Parameter ${name} takes up to ${MAX_FORECAST_VALUES} values from 1 to ${max}`,
  )
}
