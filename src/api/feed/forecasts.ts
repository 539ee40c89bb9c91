import { FORECAST, UNITS } from '../../catalogue.ts'
import { isObject, type JsonObject, member, readText } from '../parse/json.ts'
import { type Reject, readNumber, servedOrRejected } from '../parse/reads.ts'

export interface Forecast {
  /** The time frame: days of history that are extrapolated. */
  readonly historyDays: string
  /** Percent of the total capacity. */
  readonly targetPercent: string
  /** Days from now; 0: already reached; undefined: no forecast (`N/A`). */
  readonly days: number | undefined
}

/** Maximum length of an unknown unit in a log line. */
const MAX_UNIT_CHARACTERS = 16

/**
 * Reads `allocatedCapacityForecast`. Source: API document, "Forecast entry".
 * @param max maximum number of entries to read, if less than that of a node
 */
export function readForecasts(value: unknown, reject: Reject, max: number): Forecast[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const read = list.slice(0, Math.min(max, FORECAST.maxEntries))
  if (list.length > read.length) reject('too_many', `${list.length} forecasts`, list.length - read.length)
  const entries = read.filter((entry) => isObject(entry) || readNumber(entry).state !== 'absent')
  const forecasts = new Map<string, Forecast>()
  for (const entry of entries) {
    const forecast = isObject(entry) ? readEntry(entry, reject) : undefined
    if (!isObject(entry)) reject('shape', typeof entry)
    if (forecast === undefined) continue
    const key = keyOf(forecast)
    if (forecasts.has(key)) reject('duplicate', key)
    forecasts.set(key, forecast)
  }
  return [...forecasts.values()]
}

const keyOf = ({ historyDays, targetPercent }: Forecast) => `${historyDays} ${targetPercent}`

/** One forecast for each time frame and target: a system may give those of others than the requested time frame, too. */
export function distinctForecasts(forecasts: readonly Forecast[]): Forecast[] {
  return [...new Map(forecasts.map((forecast) => [keyOf(forecast), forecast])).values()]
}

function readEntry(entry: JsonObject, reject: Reject): Forecast | undefined {
  const history = readNumber(member(entry, 'history'), UNITS.day)
  const target = readNumber(member(entry, 'target'), UNITS.Percent)
  if (history.state !== 'served' || target.state !== 'served') {
    reject('shape', 'a forecast without its time frame or target')
    return undefined
  }
  const named = { historyDays: String(history.value), targetPercent: String(target.value) }
  const days = readNumber(member(entry, 'forecast'), UNITS[FORECAST.unit])
  if (days.state === 'absent') return { ...named, days: undefined }
  const value = servedOrRejected(days, reject)
  if (value === undefined) return undefined
  const unit = readText(member(entry, 'unit')) ?? ''
  // "0" may have no unit. With an unknown unit the number of days would be wrong.
  if (unit !== FORECAST.unit && unit !== `${FORECAST.unit}s` && value !== 0) {
    reject('shape', `the unit ${unit.slice(0, MAX_UNIT_CHARACTERS)}`)
    return undefined
  }
  return { ...named, days: value }
}
