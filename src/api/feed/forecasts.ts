import { FORECAST } from '../../catalogue.ts'
import { isObject, type JsonObject, member, readText } from '../parse/json.ts'
import { readNumber } from '../parse/numbers.ts'
import type { Reject } from '../parse/reads.ts'

/** A forecast of one time frame for one target. */
export interface Forecast {
  /** Days of history that it extrapolates. */
  readonly historyDays: string
  /** Percent of the total capacity. */
  readonly targetPercent: string
  /** Days from now; 0: reached; undefined: the system cannot tell (`N/A`). */
  readonly days: number | undefined
}

/** Forecasts kept of one node: more time frames and targets than anybody asks for. */
const MAX_FORECASTS = 100
/** What is quoted of a unit that is not the documented one. */
const MAX_UNIT_CHARACTERS = 16

/**
 * Reads `allocatedCapacityForecast`. Source: API document, "Forecast entry".
 * @param most forecasts to keep, where that is less than {@link MAX_FORECASTS}
 */
export function readForecasts(value: unknown, reject: Reject, most: number): Forecast[] {
  const list = Array.isArray(value) ? value : [value]
  const entries = list.filter((entry) => isObject(entry) || readNumber(entry).state !== 'absent')
  const forecasts = new Map<string, Forecast>()
  for (const entry of entries) {
    const forecast = isObject(entry) ? readEntry(entry, reject) : undefined
    if (!isObject(entry)) reject('shape', typeof entry)
    if (forecast === undefined) continue
    const key = `${forecast.historyDays} ${forecast.targetPercent}`
    if (forecasts.has(key)) reject('duplicate', key)
    forecasts.set(key, forecast)
  }
  const kept = Math.min(most, MAX_FORECASTS)
  if (forecasts.size > kept) reject('too_many', `${forecasts.size} forecasts`, forecasts.size - kept)
  return [...forecasts.values()].slice(0, kept)
}

function readEntry(entry: JsonObject, reject: Reject): Forecast | undefined {
  const history = readNumber(member(entry, 'history'))
  const target = readNumber(member(entry, 'target'))
  if (history.state !== 'served' || target.state !== 'served') {
    reject('shape', 'a forecast without its time frame or target')
    return undefined
  }
  const named = { historyDays: String(history.value), targetPercent: String(target.value) }
  const days = readNumber(member(entry, 'forecast'))
  if (days.state === 'absent') return { ...named, days: undefined }
  if (days.state === 'unreadable') {
    reject(days.rejection, days.text)
    return undefined
  }
  const unit = readText(member(entry, 'unit')) ?? ''
  // "0" may come without a unit; any other unit than the documented one would be a wrong figure.
  if (unit !== FORECAST.unit && unit !== `${FORECAST.unit}s` && days.value !== 0) {
    reject('shape', `the unit ${unit.slice(0, MAX_UNIT_CHARACTERS)}`)
    return undefined
  }
  return { ...named, days: days.value }
}
