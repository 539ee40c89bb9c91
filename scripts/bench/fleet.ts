import { decodeFeed, type FeedReading } from '../../src/api/feed/feed.ts'
import { createEmulator } from '../../src/emulator/emulator.ts'

/** The size for the figures of README.md. */
export const POOLS = 10
export const NODES_PER_POOL = 64

export interface PoolFixture {
  readonly id: string
  /** Current values and forecasts. */
  readonly reading: FeedReading
}

const CURRENT = 'dataType=current'
const FORECAST = 'dataType=current&category=capacityForecast&cfTimeFrame=7d;4w&cfTarget=80;90'

/** Reads the feeds of an emulated system. */
export async function readFleet(): Promise<PoolFixture[]> {
  const emulator = createEmulator({
    pools: POOLS,
    nodes: NODES_PER_POOL,
    profile: 'classic',
    listenAddress: '127.0.0.1:0',
  })
  await emulator.start()
  const read = async (id: string, query: string): Promise<FeedReading> => {
    const response = await fetch(`${emulator.url}/dashboard/storagepools/${id}/nodes?${query}`, {
      headers: { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' },
    })
    return decodeFeed(await response.json())
  }
  try {
    const fixtures: PoolFixture[] = []
    for (const { id } of emulator.pools) {
      const [current, forecast] = [await read(id, CURRENT), await read(id, FORECAST)]
      const forecasts = new Map(forecast.nodes.map((node) => [node.id, node.forecasts]))
      const nodes = current.nodes.map((node) => ({ ...node, forecasts: forecasts.get(node.id) ?? [] }))
      fixtures.push({ id, reading: { ...current, nodes } })
    }
    return fixtures
  } finally {
    await emulator.stop()
  }
}
