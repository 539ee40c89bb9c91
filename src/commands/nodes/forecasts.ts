import type { SystemClient } from '../../api/client.ts'
import type { FeedReading } from '../../api/feed/feed.ts'
import { frameForecasts } from '../../api/feed/forecast_frames.ts'
import type { ForecastConfig } from '../../config/config.ts'
import { poolForecasts } from '../../status/figures/pool_figures.ts'
import { messageOf } from './reading.ts'

/** The nodes of a pool, with its forecast; null: there is none. */
export type NodesReading = FeedReading & { readonly forecastSeconds: number | null }

interface NodesOptions {
  readonly client: SystemClient
  readonly pool: string
  readonly signal: AbortSignal
  readonly forecast: ForecastConfig
  /** In percent. */
  readonly target: number
}

/** The nodes of a pool and its forecast. A time frame that is refused has none. */
export async function readNodes({
  client,
  pool,
  signal,
  forecast,
  target,
}: NodesOptions): Promise<NodesReading> {
  const reading = await client.nodes(pool, signal)
  const readFrame = async (timeFrame: string) => {
    try {
      return frameForecasts(await client.forecasts(pool, { ...forecast, timeFrame }, signal))
    } catch (failure) {
      messageOf(failure, signal)
      return undefined
    }
  }
  const timeFrames = forecast.schedule === '' ? [] : forecast.timeFrames
  const frames = await Promise.all(timeFrames.map(async (frame) => [frame, await readFrame(frame)] as const))
  const ids = reading.nodes.map(({ id }) => id)
  return { ...reading, forecastSeconds: poolForecasts(ids, new Map(frames)).get(String(target)) ?? null }
}
