import { describe, expect, test } from 'vitest'
import { createEmulator } from '../support/programs/emulator.ts'
import { call, feedPath, type Json, login, MONITOR, NOW, startEmulator } from './client.ts'

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
    }
  })

  test.each(['documented', 'classic', 'modern'] as const)(
    'storagepools of the profile %s: hourly points of five days, sums and means of the nodes',
    async (profile) => {
      const emulator = await startEmulator({ profile, nodes: 2, pools: 1 })
      const listOf = async (path: string) => {
        const { _embedded } = (await call(emulator, path)).json()
        return _embedded.instances ?? _embedded._instances
      }
      const path = '/dashboard/zones/localzone/storagepools'
      const [pool] = await listOf(path)
      expect(pool.diskSpaceTotal).toHaveLength(120)
      expect(pool.diskSpaceTotalSummary).toHaveProperty('Avg')
      expect(pool.allocatedCapacityForecast).toEqual([])
      const [current] = await listOf(`${path}?dataType=current`)
      const nodes: Json[] = await listOf(feedPath(emulator, 'dataType=current'))
      const numberIn = (of: Json, name: string, tag: string) => Number([of[name]].flat().at(-1)[tag])
      const sum = (name: string, tag: string) =>
        nodes.reduce((total, node) => total + numberIn(node, name, tag), 0)
      expect(numberIn(current, 'diskSpaceTotalCurrent', 'Space')).toBe(sum('diskSpaceTotalCurrent', 'Space'))
      expect(numberIn(current, 'diskSpaceAllocatedPercentageCurrent', 'Percent')).toBeCloseTo(
        sum('diskSpaceAllocatedPercentageCurrent', 'Percent') / 2,
        1,
      )
      expect(Number(current.numDisks)).toBe(nodes.reduce((total, node) => total + Number(node.numDisks), 0))
      expect(Object.keys(current).filter((name) => name.endsWith('Summary'))).toEqual([])
    },
  )

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

  test.each(['documented', 'modern'] as const)(
    'vdc/nodes: nodes with their version, profile %s',
    async (profile) => {
      const emulator = await startEmulator({ profile })
      const { node } = (await call(emulator, '/vdc/nodes.json')).json()
      expect(node).toHaveLength(10)
      const feed = (await call(emulator, feedPath(emulator, 'dataType=current'))).json()._embedded
      const [first] = feed.instances ?? feed._instances
      expect(node[0]).toMatchObject({ nodeid: first.id, nodename: first.displayName, isLocal: true })
      expect(node[0].version).toMatch(/^\d+\.\d+\.\d+\.\d+\.\d+\.[0-9a-f]+$/)
      expect((await call(emulator, '/vdc/nodes')).text).toContain(`<nodename>${first.displayName}</nodename>`)
    },
  )
})

describe('the request log', () => {
  test('records operations, tokens and logins', async () => {
    const emulator = await startEmulator()
    await login(emulator)
    await login(emulator, 'monitor', 'wrong')
    await call(emulator, feedPath(emulator, 'dataType=current'))
    await call(emulator, feedPath(emulator, 'dataType=historical'))
    await call(emulator, feedPath(emulator, 'category=capacityForecast'))
    await call(emulator, '/vdc/admin/authnproviders/urn:x:', { method: 'DELETE', token: 'secret' })
    await call(emulator, '/favicon.ico', { token: '' })
    const { log } = emulator
    expect(log.requests().map(({ operation, status }) => [operation, status])).toEqual([
      ['login', 200],
      ['login', 401],
      ['nodes', 200],
      ['history', 200],
      ['forecast', 200],
      ['delete', 401],
      ['other', 404],
    ])
    expect(log.requests()[2]).toMatchObject({
      method: 'GET',
      query: 'dataType=current',
      token: MONITOR,
      time: NOW,
    })
    expect([log.count(), log.count('login'), log.count('pools')]).toEqual([7, 2, 0])
    expect(log.logins()).toEqual({ granted: 1, refused: 1 })
    expect([...log.tokens()]).toEqual([MONITOR, 'secret'])
    log.clear()
    expect([log.count(), log.requests().length, log.tokens().size]).toEqual([0, 0, 0])
  })

  test('records the maximum number of concurrent requests', async () => {
    const emulator = await startEmulator({ faults: ['slow-headers:2@nodes'] })
    const path = feedPath(emulator, 'dataType=current')
    await Promise.all([call(emulator, path), call(emulator, path), call(emulator, path)])
    expect(emulator.log.mostAtOnce()).toBe(3)
  })
})
