import { expect, test } from 'vitest'
import { call, startEmulator } from '../client.ts'
import { rowsOf, script } from './client.ts'

const LAG = script(
  'monitoring_last',
  'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO',
  '|> filter(fn: (r) => r._field == "RPO_Lag_Millis") |> last()',
)

test('one site has no lag of replication', async () => {
  expect(await rowsOf(await startEmulator({ profile: 'modern' }), LAG)).toEqual([])
})

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

test('garbage and recovery of the system are those of its pools', async () => {
  const emulator = await startEmulator({ profile: 'modern', scenario: 'disk-failures' })
  const rows = async (measurement: string) => {
    const flux = script('monitoring_vdc', measurement, '|> last()', 'start: -30m')
    return new Map((await rowsOf(emulator, flux)).map((row) => [row['_field'], Number(row['_value'])]))
  }
  const response = await call(emulator, '/dashboard/zones/localzone?dataType=current')
  const now = response.json()
  const garbage = await rows('cq_gc_data')
  expect(garbage.size).toBe(6)
  const [{ Capacity: pending }] = now.gcUserPendingCurrent
  expect(Number(garbage.get('user_gc_pending')) / Number(pending)).toBeCloseTo(1, 1)
  const [{ Space: bad }] = now.recoveryBadChunksTotalSizeCurrent
  expect(Number((await rows('cq_recover_status_summary')).get('data_to_recover')) / Number(bad)).toBeCloseTo(
    1,
    0,
  )
})
