import { FORECAST } from '../../catalogue.ts'
import { FORECAST_FORMS, type ForecastForm, type ForecastRequest, forecastQuery } from '../errors/paths.ts'
import type { FeedReading } from './feed.ts'

/**
 * Requests forecasts in the form that one system understands: the category alone or, if no node has forecasts then, with
 * `dataType=current`. The form that had forecasts is remembered until a pool has none with it, as after an upgrade.
 */
export function createForecasts(
  read: (poolId: string, query: string, signal: AbortSignal) => Promise<FeedReading>,
) {
  let known: ForecastForm | undefined

  return async (poolId: string, forecast: ForecastRequest, signal: AbortSignal): Promise<FeedReading> => {
    const request = async (form: ForecastForm): Promise<FeedReading> => {
      const reading = await read(poolId, forecastQuery(forecast, form), signal)
      if (hasForecasts(reading)) known = form
      else if (known === form && reading.nodes.length > 0) known = undefined
      return reading
    }
    const [alone, withCurrent] = FORECAST_FORMS
    const wasKnown = known !== undefined
    const first = await request(known ?? alone)
    if (wasKnown || hasForecasts(first) || first.nodes.length === 0) return first
    const second = await request(withCurrent)
    return hasForecasts(second) ? second : first
  }
}

/** Whether a node has the attribute, readable or not. */
function hasForecasts({ coverage }: FeedReading): boolean {
  const counts = coverage.get(FORECAST.name)
  return (counts?.served ?? 0) + (counts?.unreadable ?? 0) > 0
}
