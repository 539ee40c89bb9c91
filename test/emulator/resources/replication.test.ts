import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../support/programs/emulator.ts'
import { type Json, jsonOf, NOW_SECONDS, objectsIn, startEmulator } from '../client.ts'

const ZONE = '/dashboard/zones/localzone'

const listOf = async (emulator: Emulator, path: string) =>
  objectsIn(await jsonOf(emulator, `${path}?dataType=current`))
const groupsOf = (emulator: Emulator) => listOf(emulator, `${ZONE}/replicationgroups`)
const linksOf = (emulator: Emulator, state: 'Failed' | 'Bootstrap') =>
  listOf(emulator, `${ZONE}/rglinks${state}`)

describe('replication groups', () => {
  test('a system of one site has one group, without recovery point', async () => {
    const groups = await groupsOf(await startEmulator({ profile: 'modern' }))
    expect(groups).toEqual([
      {
        _links: expect.any(Object),
        apiChange: '1',
        numZones: '1',
        name: 'rg-local',
        id: expect.stringMatching(
          /^Replication_Group:urn:storageos:ReplicationGroupInfo:[0-9a-f-]{36}:global$/,
        ),
        chunksRepoPendingReplicationTotalSize: '0',
        chunksJournalPendingReplicationTotalSize: '0',
        chunksPendingXorTotalSize: '0',
      },
    ])
  })

  test.each([2, 3])(
    'a system of %i sites has an active, a passive, a local and the internal group',
    async (sites) => {
      const groups = await groupsOf(await startEmulator({ profile: 'modern', sites }))
      expect(groups.map(({ name, numZones }) => [name, Number(numZones)])).toEqual([
        ['rg-local', 1],
        ['rg-geo', sites],
        ['rg-passive', sites],
        ['internal', sites],
      ])
      const [, geo, passive, internal] = groups
      const lag = NOW_SECONDS - Number(geo.replicationRpoTimestamp)
      expect(lag > 0 && lag < 600).toBe(true)
      expect(Number(geo.chunksRepoPendingReplicationTotalSize)).toBeGreaterThan(0)
      expect(passive).not.toHaveProperty('replicationRpoTimestamp')
      expect(passive.id).toMatch(/^Replication_Group: urn:/)
      expect(internal.id).toContain(':00000000-0000-0000-0000-000000000000:')
    },
  )

  test('the values of the system are the sums of the groups', async () => {
    const emulator = await startEmulator({ profile: 'modern', sites: 3, scenario: 'site-down' })
    const groups = await groupsOf(emulator)
    const zone = await jsonOf(emulator, `${ZONE}?dataType=current`)
    for (const name of ['chunksRepoPendingReplicationTotalSize', 'chunksJournalPendingReplicationTotalSize'])
      expect(Number(zone[name])).toBe(groups.reduce((sum, group) => sum + Number(group[name]), 0))
  })
})

describe('links', () => {
  test('site-down: the links to the last site fail, the backlog grows and the recovery point stays', async () => {
    let now = Date.parse('2026-03-11T10:00:00Z')
    const emulator = await startEmulator({ profile: 'modern', scenario: 'site-down', clock: () => now })
    const failed = await linksOf(emulator, 'Failed')
    expect(failed).toMatchObject([
      { rgName: 'rg-geo', zone1Name: 'vdc-emulator', zone2Name: 'vdc-emulator-2' },
      { rgName: 'rg-passive', zone1Name: 'vdc-emulator', zone2Name: 'vdc-emulator-2' },
    ])
    const [, before] = await groupsOf(emulator)
    now += 3_600_000
    const [, after] = await groupsOf(emulator)
    const pending = (group: Json) => Number(group.chunksRepoPendingReplicationTotalSize)
    expect(pending(after) - pending(before)).toBeGreaterThan(100e9)
    expect(
      Math.abs(Number(after.replicationRpoTimestamp) - Number(before.replicationRpoTimestamp)),
    ).toBeLessThan(600)
    expect(NOW_SECONDS - Number(after.replicationRpoTimestamp)).toBeGreaterThan(4 * 3_600)
    expect(await linksOf(emulator, 'Bootstrap')).toEqual([])
  })

  test('site-rejoin: the progress of the links goes from 0 % to 100 % within a day', async () => {
    let now = Date.parse('2026-03-11T00:00:00Z')
    const emulator = await startEmulator({ profile: 'modern', scenario: 'site-rejoin', clock: () => now })
    const progress: number[] = []
    for (let hour = 0; hour < 24; hour += 6) {
      const links = await linksOf(emulator, 'Bootstrap')
      expect(links).toHaveLength(2)
      progress.push(Number(links[0].BootstrapProgressPercent))
      now += 6 * 3_600_000
    }
    expect(progress).toEqual([0, 25, 50, 75])
    expect(await linksOf(emulator, 'Failed')).toEqual([])
  })
})
