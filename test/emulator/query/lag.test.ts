import { expect, test } from 'vitest'
import { startEmulator } from '../client.ts'
import { rowsOf, script } from './client.ts'

const LAG = script(
  'monitoring_last',
  'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO',
  '|> filter(fn: (r) => r._field == "RPO_Lag_Millis") |> last()',
)

test('groups of several sites have a lag, which grows while a site is down', async () => {
  const healthy = await rowsOf(await startEmulator({ profile: 'modern', sites: 2 }), LAG)
  const millis = healthy.map((row) => Number(row['_value'])).sort((a, b) => b - a)
  expect(millis).toHaveLength(3)
  expect([(millis[0] ?? 0) > 0 && (millis[0] ?? 0) < 600_000, millis[1], millis[2]]).toEqual([true, 0, 0])
  for (const row of healthy)
    expect(row['Replication_Group']).toMatch(/^urn:storageos:ReplicationGroupInfo:.*:global$/)
  const down = await rowsOf(await startEmulator({ profile: 'modern', scenario: 'site-down' }), LAG)
  expect(Math.max(...down.map((row) => Number(row['_value'])))).toBeGreaterThan(10 * 3_600_000)
})
