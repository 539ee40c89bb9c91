import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../support/programs/emulator.ts'
import { type Json, jsonOf, NOW_SECONDS, nodesOf, objectsIn, startEmulator, valueIn } from '../client.ts'

const ZONE = '/dashboard/zones/localzone'
const PROFILES = ['documented', 'classic', 'modern'] as const

const zoneOf = (emulator: Emulator) => jsonOf(emulator, `${ZONE}?dataType=current`)
const poolsOf = async (emulator: Emulator) =>
  objectsIn(await jsonOf(emulator, `${ZONE}/storagepools?dataType=current`))
const valueAt = (object: Json, name: string): number => valueIn(object[name])
const timeOf = (object: Json, name: string) => Number([object[name]].flat().at(-1).t)

const SUMS = [
  'diskSpaceTotalCurrent',
  'diskSpaceAllocatedCurrent',
  'diskSpaceFreeCurrent',
  'diskSpaceReservedCurrent',
  'diskSpaceOfflineTotalCurrent',
  ...['UserData', 'SystemMetadata', 'LocalProtection', 'GeoCopy', 'GeoCache'].map(
    (purpose) => `diskSpaceAllocated${purpose}Current`,
  ),
  ...['User', 'System'].flatMap((scope) =>
    ['Pending', 'Unreclaimable', 'Reclaimed', 'TotalDetected'].map((kind) => `gc${scope}${kind}Current`),
  ),
  'recoveryBadChunksTotalSizeCurrent',
  'chunksEcApplicableTotalSealSizeCurrent',
  'chunksEcCodedTotalSealSizeCurrent',
]
const COUNTS = ['numNodes', 'numGoodNodes', 'numBadNodes', 'numMaintenanceNodes', 'numDisks', 'numGoodDisks']

describe.each(PROFILES)('profile %s', (profile) => {
  test.each(['healthy', 'disk-failures', 'site-down'] as const)(
    'scenario %s: the system is the sum of its pools, and identities hold',
    async (scenario) => {
      const emulator = await startEmulator({ profile, scenario, pools: 3, nodes: 4 })
      const [zone, pools] = [await zoneOf(emulator), await poolsOf(emulator)]
      for (const name of SUMS) {
        const sum = pools.reduce((total, pool) => total + valueAt(pool, name), 0)
        expect([name, valueAt(zone, name)]).toEqual([name, sum])
      }
      for (const name of COUNTS) {
        const sum = pools.reduce((total, pool) => total + Number(pool[name]), 0)
        expect([name, Number(zone[name])]).toEqual([name, sum])
      }
      for (const one of [zone, ...pools]) {
        const space = (kind: string) => valueAt(one, `diskSpace${kind}Current`)
        expect(space('Allocated') + space('Free') + space('Reserved')).toBe(space('Total'))
        for (const scope of ['User', 'System']) {
          const garbage = (kind: string) => valueAt(one, `gc${scope}${kind}Current`)
          const parts = garbage('Pending') + garbage('Unreclaimable') + garbage('Reclaimed')
          expect(parts).toBe(garbage('TotalDetected'))
        }
      }
    },
  )

  test('counts and capacity are those of the nodes', async () => {
    const emulator = await startEmulator({ profile, scenario: 'disk-failures', nodes: 3 })
    const pools = await poolsOf(emulator)
    for (const [index, pool] of pools.entries()) {
      const nodes = await nodesOf(emulator, 'dataType=current', index)
      const sum = (of: (node: Json) => number) => nodes.reduce((total, node) => total + of(node), 0)
      expect(Number(pool.numBadDisks)).toBe(sum(({ numBadDisks }) => Number(numBadDisks)))
      expect(Number(pool.numNodes)).toBe(nodes.length)
      const good = nodes.filter(({ healthStatus }) => healthStatus === 'Good')
      expect(Number(pool.numGoodNodes)).toBe(good.length)
      for (const name of ['diskSpaceTotalCurrent', 'diskSpaceAllocatedCurrent'])
        expect(valueAt(pool, name)).toBe(sum((node) => valueAt(node, name)))
    }
  })
})

test('the form of real systems: counts are strings, measures and alerts are arrays of one snapshot', async () => {
  const zone = await zoneOf(await startEmulator({ profile: 'modern' }))
  expect(zone).toMatchObject({
    id: 'localzone',
    name: 'vdc-emulator',
    numNodes: '10',
    alertsNumUnackCritical: [{ t: expect.stringMatching(/^\d+$/), Count: '0' }],
    diskSpaceTotalCurrent: [{ t: expect.any(String), Space: expect.any(String) }],
    gcUserPendingCurrent: [{ t: expect.any(String), Capacity: expect.stringMatching(/^\d+$/) }],
    gcUserDataIsEnabled: 'true',
  })
  const links = ['nodes', 'replicationgroups', 'rglinksBootstrap', 'rglinksFailed', 'self', 'storagepools']
  expect(Object.keys(zone._links).sort()).toEqual(links)
})

test('snapshots keep their own time: erasure coding is up to an hour old, bad chunks 55 days', async () => {
  const zone = await zoneOf(await startEmulator({ profile: 'modern' }))
  expect(NOW_SECONDS - timeOf(zone, 'diskSpaceTotalCurrent')).toBe(0)
  expect(NOW_SECONDS - timeOf(zone, 'chunksEcCodedTotalSealSizeCurrent')).toBeGreaterThan(300)
  expect(NOW_SECONDS - timeOf(zone, 'recoveryBadChunksTotalSizeCurrent')).toBeGreaterThan(55 * 86_400)
  const failing = await zoneOf(await startEmulator({ profile: 'modern', scenario: 'node-down' }))
  expect(valueAt(failing, 'recoveryBadChunksTotalSizeCurrent')).toBeGreaterThan(0)
  expect(NOW_SECONDS - timeOf(failing, 'recoveryBadChunksTotalSizeCurrent')).toBeLessThan(300)
})

describe('unacknowledged alerts', () => {
  const countsIn = (zone: Json) =>
    ['Critical', 'Error', 'Warning', 'Info'].map((severity) => valueAt(zone, `alertsNumUnack${severity}`))

  test.each([
    ['healthy', [0, 0, 1, 12]],
    ['maintenance', [0, 0, 1, 12]],
    ['upgrade', [0, 0, 1, 12]],
    ['node-down', [1, 0, 1, 12]],
    ['filling-up', [1, 0, 2, 12]],
    ['array-alerts', [1, 2, expect.any(Number), 12]],
    ['site-down', [0, 1, 1, 12]],
  ] as const)('scenario %s', async (scenario, counts) => {
    expect(countsIn(await zoneOf(await startEmulator({ scenario })))).toEqual(counts)
  })
})
