import { describe, expect, test } from 'vitest'
import { call, current, feedPath, type Json, NOW, NOW_SECONDS, nodesOf, startEmulator } from '../client.ts'

const FEED = 'dataType=current'

async function textWith(fault: string): Promise<string> {
  const emulator = await startEmulator({ faults: [fault] })
  const response = await call(emulator, feedPath(emulator, FEED))
  expect(response.status).toBe(200)
  return response.text
}

async function nodesWith(fault: string): Promise<Json[]> {
  return JSON.parse(await textWith(fault))._embedded.instances
}

describe('the structure of the feed', () => {
  test('no-embedded', async () => {
    expect(Object.keys(JSON.parse(await textWith('no-embedded')))).toEqual(['title', '_links'])
  })

  test('empty-list', async () => {
    expect(await nodesWith('empty-list')).toEqual([])
  })

  test.each([
    ['null', null],
    ['list', []],
    ['text', 'nodes'],
    ['number', 7],
  ])('root:%s', async (kind, value) => {
    expect(JSON.parse(await textWith(`root:${kind}`))).toEqual(value)
  })

  test('deep', async () => {
    const [node] = JSON.parse(await textWith('deep:500'))._embedded.instances
    let depth = 0
    for (let inner = node.deep; inner !== undefined; inner = inner[0]) depth++
    expect(depth).toBe(500)
  })

  test('the pool list changes only if the target names it', async () => {
    const path = '/dashboard/zones/localzone/storagepools'
    const untargeted = await startEmulator({ faults: ['empty-list'] })
    expect((await call(untargeted, path)).json()._embedded.instances).toHaveLength(2)
    const targeted = await startEmulator({ faults: ['empty-list@pools'] })
    expect((await call(targeted, path)).json()._embedded.instances).toEqual([])
    expect(await nodesOf(targeted, FEED)).toHaveLength(5)
  })

  test('profile modern is changed too', async () => {
    const emulator = await startEmulator({ profile: 'modern', faults: ['vanished-node'] })
    expect(await nodesOf(emulator, FEED)).toHaveLength(4)
  })
})

describe('identity', () => {
  test('duplicate-ids', async () => {
    const [one, two, three] = await nodesWith('duplicate-ids')
    expect(two.id).toBe(one.id)
    expect(two.displayName).not.toBe(one.displayName)
    expect(three.id).not.toBe(one.id)
  })

  test('duplicate-names', async () => {
    const nodes = await nodesWith('duplicate-names')
    expect(new Set(nodes.map(({ displayName }) => displayName)).size).toBe(1)
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(5)
  })

  test('missing-ids', async () => {
    expect((await nodesWith('missing-ids')).map((node) => 'id' in node)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ])
  })

  test('vanished-node', async () => {
    const names = (await nodesWith('vanished-node')).map(({ displayName }) => displayName)
    expect(names).toEqual(['hot-node-01', 'hot-node-02', 'hot-node-03', 'hot-node-04'])
  })

  test('unknown-health', async () => {
    for (const node of await nodesWith('unknown-health')) expect(node.healthStatus).toBe('Rebooting')
    for (const node of await nodesWith('unknown-health:On Fire')) expect(node.healthStatus).toBe('On Fire')
  })

  test('hostile-names', async () => {
    const emulator = await startEmulator({ nodes: 9, faults: ['hostile-names'] })
    const nodes = await nodesOf(emulator, FEED)
    const names = nodes.map(({ displayName }) => displayName).join('|')
    for (const part of ['\n', '"', '\\', '<script>', '\u0000', '\u202e', 'x'.repeat(10_000), '\ud800']) {
      expect(names).toContain(part)
    }
    const types = nodes.flatMap((node) =>
      node.transactionErrorsCurrent.types.map(({ errorType }: Json) => errorType),
    )
    expect(types.join('|')).toContain('<script>')
  })

  test('proto-members', async () => {
    const text = await textWith('proto-members')
    expect(text).toContain('{"__proto__":{"id":"polluted"')
    const [node] = JSON.parse(text)._embedded.instances
    expect(Object.keys(node).slice(0, 3)).toEqual(['__proto__', 'constructor', 'hasOwnProperty'])
    expect(node.id).not.toBe('polluted')
    expect(({} as Json).polluted).toBeUndefined()
  })

  test('error-types', async () => {
    for (const node of await nodesWith('error-types')) {
      const types: Json[] = node.transactionErrorsCurrent.types
      expect(new Set(types.map(({ errorType }) => errorType)).size).toBe(5_000)
    }
    expect((await nodesWith('error-types:3'))[0].transactionErrorsCurrent.types).toHaveLength(3)
  })
})

describe('bad-values', () => {
  test.each([
    ['nan', 'NaN'],
    ['infinity', 'Infinity'],
    ['huge', Number.POSITIVE_INFINITY],
    ['huge-text', '1e400'],
    ['negative', -2],
    ['implausible', 1e298],
    ['hex', '0x1F'],
    ['text', 'many'],
    ['unavailable', 'N/A'],
    ['blank', ' '],
    ['null', null],
    ['boolean', true],
    ['list', []],
  ])('%s', async (kind, value) => {
    const [node] = await nodesWith(`bad-values:${kind}`)
    expect(node.diskSpaceFreeCurrent.Space).toEqual(value)
    expect(node.transactionErrorsCurrent.all.Rate).toEqual(value)
    expect(Number(node.diskSpaceFreeCurrent.t)).toBe(NOW_SECONDS)
    expect(node.numDisks).toMatch(/^\d+$/)
  })

  test.each([
    ['zero', 0],
    ['milliseconds', 1e3],
    ['microseconds', 1e6],
  ])('bad-times:%s', async (unit, factor) => {
    const [node] = await nodesWith(`bad-times:${unit}`)
    expect(node.diskSpaceFreeCurrent.t).toBe(NOW_SECONDS * factor)
  })

  test('mixed: all kinds', async () => {
    const [node] = await nodesWith('bad-values')
    const values = Object.entries<Json>(node)
      .filter(([name]) => name.startsWith('disk'))
      .map(([, snapshot]) => Object.entries(snapshot).find(([key]) => key !== 't')?.[1])
      .map((value) => `${typeof value} ${value}`)
    expect(new Set(values).size).toBe(13)
  })

  test.each([
    ['nan-literal', 'NaN'],
    ['infinity-literal', 'Infinity'],
  ])('%s is not valid JSON', async (kind, literal) => {
    const text = await textWith(`bad-values:${kind}`)
    expect(text).toContain(`"Space":${literal}`)
    expect(() => JSON.parse(text)).toThrow()
  })
})

describe('clocks', () => {
  const timeOf = (node: Json) => Number(node.diskSpaceFreeCurrent.t)

  test.each([
    ['future-time', 86_400, 0],
    ['future-time:60', 60, 0],
    ['ancient-time', -55 * 86_400, 0],
    ['clock-back', -3_600, -3_600],
    ['clock-back:7200', -7_200, -7_200],
  ])('%s moves the samples by %i s and the Date header by %i s', async (fault, samples, date) => {
    const emulator = await startEmulator({ faults: [fault] })
    const response = await call(emulator, feedPath(emulator, FEED))
    for (const node of response.json()._embedded.instances) expect(timeOf(node)).toBe(NOW_SECONDS + samples)
    expect(Date.parse(String(response.headers['date']))).toBe(NOW + date * 1_000)
  })

  test('frozen: the time of the samples stops, the Date header does not', async () => {
    let now = NOW
    const emulator = await startEmulator({ clock: () => now, faults: ['frozen'] })
    const [before] = await nodesOf(emulator, FEED)
    now += 3_600_000
    const response = await call(emulator, feedPath(emulator, FEED))
    const [after] = response.json()._embedded.instances
    expect(after).toEqual(before)
    expect(timeOf(after)).toBe(NOW_SECONDS)
    expect(Date.parse(String(response.headers['date']))).toBe(now)
    emulator.setFaults([])
    expect(timeOf((await nodesOf(emulator, FEED))[0])).toBe(NOW_SECONDS + 3_600)
  })

  test('frozen@pool=archive: only one pool', async () => {
    let now = NOW
    const emulator = await startEmulator({ clock: () => now, faults: ['frozen@pool=archive'] })
    now += 600_000
    expect(timeOf((await nodesOf(emulator, FEED, 0))[0])).toBe(NOW_SECONDS + 600)
    expect(timeOf((await nodesOf(emulator, FEED, 1))[0])).toBe(NOW_SECONDS)
  })

  test('without a fault the Date header is the time of the clock', async () => {
    const response = await call(await startEmulator(), '/user/whoami')
    expect(response.headers['date']).toBe('Wed, 11 Mar 2026 12:34:56 GMT')
    expect(current((await nodesOf(await startEmulator(), FEED))[0], 'diskSpaceTotal')).toBeGreaterThan(0)
  })
})
