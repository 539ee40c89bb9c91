import { CATEGORIES } from '../../catalogue.ts'
import type { StorageModel } from '../model/model.ts'
import { EmulatedError, type ErrorName } from '../protocol/errors.ts'
import type { Profile } from '../protocol/profiles.ts'
import type { Settings } from '../protocol/settings.ts'

type FeedQuery = Readonly<ReturnType<typeof parseFeedQuery>>

/** The input of one response of the dashboard API. `now` in epoch seconds. */
export interface FeedRequest {
  readonly model: StorageModel
  readonly profile: Profile
  readonly query: FeedQuery
  readonly settings: Settings
  readonly now: number
}

/** Defaults of real systems: hourly points of the last five days. */
const DEFAULT_RANGE_SECONDS = 5 * 86_400
const DEFAULT_INTERVAL = '3600'
const DATA_TYPES = ['current', 'historical'] as const
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
  const types = parameters.getAll('dataType').map((type) => oneOf('dataType', type, DATA_TYPES))
  const category = first('category')
  return {
    current: types.length === 0 || types.includes('current'),
    historical: types.length === 0 || types.includes('historical'),
    category: category === undefined ? undefined : oneOf('category', category, CATEGORIES),
    range: parseRange(settings['fixed-history'] === undefined ? first : () => undefined, now, maxPoints),
    forecast: {
      frames: parseList('cfTimeFrame', first, /^(\d{1,4})([dw])$/, MAX_FRAME_DAYS) ?? [7, 30],
      targets: parseList('cfTarget', first, /^(\d{1,4})$/, MAX_TARGET_PERCENT) ?? [80, 90],
    },
  }
}

export function includesCategory(query: FeedQuery, category: string): boolean {
  return query.category === undefined || query.category === category
}

type First = (name: string) => string | undefined

function refuse(error: ErrorName, problem: string): never {
  throw new EmulatedError(error, `Parameter ${problem}`)
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value)
  return found ?? refuse('badParameter', `${name} must be one of ${allowed.join(', ')}, not "${value}"`)
}

/** Times in epoch seconds, interval in seconds. */
function parseRange(first: First, now: number, maxPoints: number) {
  const timeOf = (name: string, byDefault: number): number => {
    const text = first(name)
    if (text === undefined) return byDefault
    if (/^\d+$/.test(text) && Number(text) <= MAX_TIME) return Number(text)
    return refuse('badTime', `${name} must be epoch seconds, not "${text}"`)
  }
  const end = timeOf('endTime', now)
  const start = timeOf('startTime', Math.max(0, end - DEFAULT_RANGE_SECONDS))
  const text = first('interval') ?? DEFAULT_INTERVAL
  if (!/^\d{1,10}$/.test(text)) refuse('badParameter', `interval must be a number of seconds, not "${text}"`)
  const interval = Number(text)
  if (interval === 0) refuse('badRange', 'interval must be at least 1 second')
  if (start > end) refuse('badRange', 'startTime must not be later than endTime')
  if (Math.floor(end / interval) - Math.ceil(start / interval) >= maxPoints)
    refuse('badRange', `interval makes more than ${maxPoints} points; request a shorter period`)
  return { start, end, interval }
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
      if (count === undefined) return refuse('badParameter', `${name} is malformed: "${text}"`)
      return unit === 'w' ? DAYS_PER_WEEK * Number(count) : Number(count)
    })
  if (numbers.length <= MAX_FORECAST_VALUES && numbers.every((one) => one >= 1 && one <= max)) return numbers
  return refuse('badRange', `${name} takes up to ${MAX_FORECAST_VALUES} values from 1 to ${max}`)
}
