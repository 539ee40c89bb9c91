import { describe, expect, test } from 'vitest'
import { ATTRIBUTES, CATEGORIES } from '../../src/catalogue.ts'
import { call, feedPath, type Json, NOW_SECONDS, nodesOf, seriesIn, startEmulator } from './client.ts'

const IDENTITY = [
  ...['_links', 'apiChange', 'displayName', 'healthStatus', 'id', 'numBadDisks', 'numDisks', 'numGoodDisks'],
  ...['numMaintenanceDisks', 'numReadyToReplaceDisks', 'storagePoolId', 'storagePoolName'],
]

describe('the feed', () => {
  test('has title, _links and _embedded.instances', async () => {
    const emulator = await startEmulator()
    const response = await call(emulator, feedPath(emulator))
    const id = emulator.pools[0]?.id ?? ''
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(Object.keys(response.json())).toEqual(['title', '_links', '_embedded'])
    expect(response.json()._links.self.href).toBe(`dashboard/storagepools/${id}/nodes`)
    expect(response.json()._embedded.instances).toHaveLength(5)
    const [node] = response.json()._embedded.instances
    expect(node._links).toEqual({
      self: { href: `/dashboard/nodes/${node.id}` },
      disks: { href: `/dashboard/nodes/${node.id}/disks` },
      processes: { href: `/dashboard/nodes/${node.id}/processes` },
    })
    expect((await call(emulator, `${node._links.self.href}.json`)).json()).toEqual(node)
    expect((await call(emulator, '/dashboard/nodes/none.json')).status).toBe(404)
    const pool = { storagePoolId: id, storagePoolName: 'hot' }
    expect(node).toMatchObject({ apiChange: '1', displayName: 'hot-node-01', ...pool })
  })

  test.each([
    ['as it is', (id: string) => id],
    ['percent-encoded', (id: string) => encodeURIComponent(id)],
    ['as a bare UUID', (id: string) => id.replace('urn:storageos:VirtualArray:', '')],
  ])('accepts the pool id %s, with and without .json', async (_name, form) => {
    const emulator = await startEmulator()
    const path = `/dashboard/storagepools/${form(emulator.pools[1]?.id ?? '')}/nodes`
    for (const ending of ['', '.json']) {
      const response = await call(emulator, path + ending)
      expect(response.json()._embedded.instances[0].storagePoolName).toBe('archive')
    }
  })
})

describe('dataType', () => {
  test('current serves only current values', async () => {
    const [node] = await nodesOf(await startEmulator(), 'dataType=current')
    const names = Object.keys(node).filter((name) => !IDENTITY.includes(name))
    expect(names.sort()).toEqual(
      [...ATTRIBUTES.map(({ name }) => `${name}Current`), 'transactionErrorsCurrent'].sort(),
    )
  })

  test('historical serves only series and summaries', async () => {
    const [node] = await nodesOf(await startEmulator(), 'dataType=historical')
    const attributes = ATTRIBUTES.filter(({ currentOnly }) => !currentOnly).map(({ name }) => name)
    const names = Object.keys(node).filter((name) => !IDENTITY.includes(name))
    const both = [...attributes, 'transactionErrors'].flatMap((name) => [name, `${name}Summary`])
    expect(names.sort()).toEqual(both.sort())
  })

  test.each(['', 'dataType=current&dataType=historical', 'dataType=historical&dataType=current'])(
    '"%s" serves current values, series, summaries and forecasts',
    async (query) => {
      const [node] = await nodesOf(await startEmulator(), query)
      expect(node.diskSpaceFreeCurrent).toBeDefined()
      expect(node.diskSpaceFree).toBeDefined()
      expect(node.diskSpaceFreeSummary).toBeDefined()
      expect(node.allocatedCapacityForecast).toHaveLength(4)
    },
  )

  test('current snapshots have the tag of the catalogue and a time of the last five minutes', async () => {
    const [node] = await nodesOf(await startEmulator(), 'dataType=current')
    for (const { name, tag } of ATTRIBUTES) {
      const snapshot = node[`${name}Current`]
      expect(Object.keys(snapshot).sort()).toEqual([tag, 't'].sort())
      expect(Number(snapshot.t)).toBeLessThanOrEqual(NOW_SECONDS)
      expect(Number(snapshot.t)).toBeGreaterThan(NOW_SECONDS - 300)
    }
  })
})

describe('startTime, endTime and interval', () => {
  test('by default the series has hourly points of the last five days', async () => {
    const [node] = await nodesOf(await startEmulator(), 'dataType=historical')
    const times = seriesIn(node, 'nodeCpuUtilization').map(({ t }) => t)
    expect(times).toHaveLength(120)
    expect(times[0]).toBe(Math.ceil((NOW_SECONDS - 432_000) / 3600) * 3600)
    expect(times.at(-1)).toBe(Math.floor(NOW_SECONDS / 3600) * 3600)
    expect(times.every((t) => t % 3600 === 0)).toBe(true)
  })

  test('points are multiples of the interval, ascending, and not in the future', async () => {
    const emulator = await startEmulator()
    const start = NOW_SECONDS - 1000
    const [node] = await nodesOf(
      emulator,
      `dataType=historical&startTime=${start}&endTime=${NOW_SECONDS + 9999}&interval=300`,
    )
    const times = seriesIn(node, 'diskSpaceFree').map(({ t }) => t)
    const first = Math.ceil(start / 300) * 300
    expect(times).toEqual([first, first + 300, first + 600])
  })
})

describe('category', () => {
  test.each(CATEGORIES)('%s serves its attributes, and the members without a category', async (category) => {
    const [node] = await nodesOf(await startEmulator(), `category=${category}&dataType=current`)
    const own = ATTRIBUTES.filter((attribute) => attribute.category === category).map(
      ({ name }) => `${name}Current`,
    )
    const special = { traffic: ['transactionErrorsCurrent'], capacityForecast: ['allocatedCapacityForecast'] }
    const more = (special as Json)[category] ?? []
    expect(Object.keys(node).sort()).toEqual([...IDENTITY, ...own, ...more].sort())
  })
})

describe('time frames and targets of the forecast', () => {
  const expected = [
    ['7', '50'],
    ['7', '85'],
    ['28', '50'],
    ['28', '85'],
  ]
  test.each([
    ['cfTimeFrame={7d;4w}&cfTarget={50;85}'],
    ['cfTimeFrame=7d;4w&cfTarget=50;85'],
    ['cfTimeFrame=7d%3B4w&cfTarget=50%3b85'],
    ['cfTimeFrame=%7B7d%3B4w%7D&cfTarget=%7B50%3B85%7D'],
    ['cfTimeFrame=%7B7d;4w;%7D&cfTarget={50;85;}'],
  ])('%s', async (query) => {
    const [node] = await nodesOf(await startEmulator(), `category=capacityForecast&${query}`)
    const entries = node.allocatedCapacityForecast.map(({ history, target }: Json) => [history, target])
    expect(entries).toEqual(expected)
  })
})

describe('refused queries', () => {
  test.each([
    [1008, 'dataType=yesterday'],
    [1008, 'dataType=current&dataType=all'],
    [1008, 'category=Health'],
    [1008, 'cfTimeFrame={7d'],
    [1008, 'cfTimeFrame=7d,4w'],
    [1008, 'cfTarget={80;ninety}'],
    [1014, 'interval=0'],
    [1014, 'cfTarget=101'],
    [1014, 'cfTimeFrame=9999w'],
    [1014, 'startTime=200&endTime=100'],
    [1014, 'startTime=0&interval=60'],
    [1029, 'startTime=yesterday'],
    [1029, 'endTime=999999999999999'],
  ])('code %i: %s', async (code, query) => {
    const emulator = await startEmulator()
    const response = await call(emulator, feedPath(emulator, query))
    expect(response.status).toBe(400)
    expect(response.json()).toMatchObject({ code, retryable: false })
    expect(Object.keys(response.json())).toEqual(['code', 'description', 'details', 'retryable'])
  })

  test('a series has at most 100,000 points, or maxPoints', async () => {
    const last = Math.floor(NOW_SECONDS / 60) * 60
    const points = (count: number) =>
      `dataType=historical&category=health&startTime=${last - (count - 1) * 60}&endTime=${last}&interval=60`
    const emulator = await startEmulator({ nodes: 1 })
    const refused = await call(emulator, feedPath(emulator, points(100_001)))
    expect(refused.json()).toMatchObject({ code: 1014, details: expect.stringContaining('100000 points') })
    const limited = await startEmulator({ nodes: 1, maxPoints: 500 })
    expect((await nodesOf(limited, points(500)))[0].nodeCpuUtilization).toHaveLength(500)
    expect((await call(limited, feedPath(limited, points(501)))).json().code).toBe(1014)
  })
})
