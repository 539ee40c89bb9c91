import { describe, expect, test } from 'vitest'
import { createEmulator } from '../support/programs/emulator.ts'
import { call, feedPath, startEmulator } from './client.ts'

describe('an emulator', () => {
  test.each([
    [{ pools: 0 }, /option pools .* from 1 to 200, not 0/],
    [{ nodes: 2.5 }, /option nodes .*not 2\.5/],
    [{ nodes: 1e9 }, /option nodes/],
    [{ faults: ['nonsense'] }, /There is no fault "nonsense"/],
  ])('refuses %o', (options, reason) => {
    expect(() => createEmulator(options)).toThrow(reason)
  })
})

describe('lists of pools and nodes', () => {
  test('storagepools: pools with the path of their feed', async () => {
    const emulator = await startEmulator()
    const list = (await call(emulator, '/dashboard/zones/localzone/storagepools.json')).json()._embedded
      .instances
    expect(list).toHaveLength(2)
    for (const [index, pool] of list.entries()) {
      expect(pool).toMatchObject({
        id: emulator.pools[index]?.id,
        name: emulator.pools[index]?.name,
        numNodes: '5',
      })
      expect(pool._links.nodes.href).toBe(feedPath(emulator, '', index))
      expect(pool.diskSpaceTotal).toHaveLength(120)
      expect(pool.diskSpaceTotalSummary).toHaveProperty('Avg')
      expect(pool.allocatedCapacityForecast).toEqual([])
    }
  })

  test('varrays: pools in both formats', async () => {
    const emulator = await startEmulator()
    const { varray } = (await call(emulator, '/vdc/data-services/varrays.json')).json()
    expect(varray).toEqual(
      emulator.pools.map(({ id, name }) => ({ id, name, isProtected: false, isColdStorageEnabled: 'false' })),
    )
    const xml = (await call(emulator, '/vdc/data-services/varrays')).text
    expect(xml).toMatch(
      /<varrays><varray><id>urn:[^<]+<\/id><name>hot<\/name><isProtected>false<\/isProtected>/,
    )
  })
})
