import { FORECAST } from '../../catalogue.ts'
import { FORECAST_FORMS, type ForecastForm, type ForecastRequest, forecastQuery } from '../errors/paths.ts'
import type { FeedReading } from './feed.ts'
import { distinctForecasts, type Forecast } from './forecasts.ts'
import type { Coverage } from './node_reading.ts'

/** The forecasts of all nodes, by node, in the response to the request of one time frame. */
export interface FrameForecasts {
  readonly nodes: ReadonlyMap<string, readonly Forecast[]>
  readonly coverage: Readonly<Coverage>
  /** When they were read, in seconds since the epoch. */
  readonly lastSuccess?: number
}

/** By time frame of the requests; undefined after requests that failed. Empty: none are requested. */
export type ForecastFrames = ReadonlyMap<string, FrameForecasts | undefined>

export function frameForecasts({ nodes, coverage }: FeedReading): FrameForecasts {
  return {
    nodes: new Map(nodes.map(({ id, forecasts }) => [id, forecasts])),
    coverage: coverage.get(FORECAST.name) ?? { served: 0, absent: nodes.length, unreadable: 0 },
  }
}

/** The forecasts of all time frames, by node. */
export function forecastsByNode(frames: ForecastFrames): ReadonlyMap<string, readonly Forecast[]> {
  const all = new Map<string, readonly Forecast[]>()
  for (const frame of frames.values())
    for (const [id, own] of frame?.nodes ?? []) {
      const others = all.get(id)
      all.set(id, others === undefined ? own : distinctForecasts([...others, ...own]))
    }
  return all
}

/**
 * That of the time frame that most nodes have; undefined if no forecasts are requested.
 * @param nodes of the pool
 */
export function forecastCoverage(frames: ForecastFrames, nodes: number): Readonly<Coverage> | undefined {
  if (frames.size === 0) return undefined
  const none: Coverage = { served: 0, absent: nodes, unreadable: 0 }
  const all = [...frames.values()].flatMap((frame) => frame?.coverage ?? [])
  return all.reduce((best, one) => {
    const more = one.served - best.served || one.unreadable - best.unreadable
    return more > 0 ? one : best
  }, none)
}

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
