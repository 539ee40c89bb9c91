import { describe, expect, test } from 'vitest'
import { ATTRIBUTES } from '../../src/catalogue.ts'
import { call, feedPath, nodesOf, startEmulator } from './client.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe.each(['classic', 'modern'] as const)('profile %s', (profile) => {
  test('has _instances, with UUIDs for nodes and pools', async () => {
    const emulator = await startEmulator({ profile })
    const { _embedded } = (await call(emulator, feedPath(emulator))).json()
    expect(Object.keys(_embedded)).toEqual(['_instances'])
    const [node] = _embedded._instances
    expect(node.id).toMatch(UUID)
    expect(node.storagePoolId).toMatch(UUID)
    expect(emulator.pools[0]?.id).toBe(`urn:storageos:VirtualArray:${node.storagePoolId}`)
  })

  test('serves current values and extremes as arrays, and the average as a string', async () => {
    const [node] = await nodesOf(await startEmulator({ profile }), 'category=capacity')
    expect(node.diskSpaceFreeCurrent).toHaveLength(1)
    expect(node.diskSpaceFreeSummary).toMatchObject({
      Min: [{ t: expect.any(String), Space: expect.any(String) }],
      Max: [{ t: expect.any(String), Space: expect.any(String) }],
      Avg: expect.any(String),
    })
  })

  test('the names of current values end with the level', async () => {
    const [node] = await nodesOf(await startEmulator({ profile }), 'category=capacity')
    for (const name of ['diskSpaceFreeCurrentL1', 'diskSpaceFreeCurrentL2', 'diskSpaceAllocatedCurrentL1']) {
      expect(node[name]).toHaveLength(1)
    }
    expect(node).toHaveProperty('diskSpaceFreeL1Summary')
    expect(node).not.toHaveProperty('diskSpaceFreeL1Current')
  })
})

test('profile classic has all attributes and transaction errors', async () => {
  const [node] = await nodesOf(await startEmulator({ profile: 'classic' }), 'dataType=current')
  const names = ATTRIBUTES.map(
    ({ name }) => `${name.replace(/L[12]$/, '')}Current${/L[12]$/.exec(name) ?? ''}`,
  )
  for (const name of names) expect(node[name].length).toBeGreaterThan(0)
  expect(Object.keys(node.transactionErrorsCurrent)).toEqual(['all', 'errorSuccessTotals', 'types'])
})

describe('profile modern', () => {
  test('has only capacity', async () => {
    const nodes = await nodesOf(await startEmulator({ profile: 'modern' }))
    for (const node of nodes) {
      const performanceMembers = Object.keys(node).filter((name) =>
        /^(node[A-Z]|transaction|disk(Read|Write))/.test(name),
      )
      expect(performanceMembers).toEqual([])
      expect(node.diskSpaceTotal.length).toBeGreaterThan(0)
    }
  })

  test('some nodes have no offline and reserved space', async () => {
    const nodes = await nodesOf(await startEmulator({ profile: 'modern' }), 'dataType=current')
    const served = nodes.map((node) =>
      [node.diskSpaceReservedCurrent, node.diskSpaceOfflineTotalCurrent].map(Boolean),
    )
    expect(served).toContainEqual([true, true])
    expect(served).toContainEqual([false, false])
  })

  test('serves forecasts only for category=capacityForecast', async () => {
    const emulator = await startEmulator({ profile: 'modern' })
    expect((await nodesOf(emulator))[0].allocatedCapacityForecast).toEqual([])
    expect((await nodesOf(emulator, 'category=capacityForecast'))[0].allocatedCapacityForecast).toHaveLength(
      4,
    )
  })
})
