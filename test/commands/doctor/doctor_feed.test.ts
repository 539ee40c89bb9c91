import { describe, expect, test } from 'vitest'
import { ATTRIBUTES } from '../../../src/catalogue.ts'
import { startEmulator } from '../../api/client_setup.ts'
import { checksAfter, examine, examineEmulator, finding, startGate } from './doctor_setup.ts'

describe('pools', () => {
  test('fails on a configured pool that the system does not list, and names the listed pools', async () => {
    await using emulator = await startEmulator({ pools: 2, nodes: 1 })
    const [hot] = emulator.pools
    const id = 'urn:storageos:VirtualArray:b17d28fa-7fc3-465e-9f43-281e72a349eb'
    const found = await examine({ base_url: emulator.url, pools: [{ id: hot?.id ?? '' }, { id }] })
    const listed = new RegExp(`the system lists ${hot?.id} \\(hot\\), `)
    expect(found.of('pools')).toEqual([
      finding('fail', 'configured, but not listed by the system', listed, id),
    ])
    expect(found.of('feed')).toMatchObject([
      { status: 'ok', subject: 'hot' },
      { status: 'fail', subject: id, text: expect.stringContaining('HTTP 404') },
    ])
    // The other pool is checked.
    expect(found.of('values')).toMatchObject([{ status: 'ok', subject: 'hot' }])
  })

  test('accepts the UUID of a pool as its id', async () => {
    await using emulator = await startEmulator({ pools: 2, nodes: 1 })
    const id = emulator.pools[1]?.id.split(':').at(-1) ?? ''
    const found = await examine({ base_url: emulator.url, pools: [{ id }] })
    expect(found.of('pools')).toEqual([{ status: 'ok', text: 'configured: 1 of 2 pools' }])
    expect(found.with('fail')).toEqual([])
  })

  test('fails without a list and without configured pools', async () => {
    const found = await examineEmulator({ faults: ['status:403@pools', 'status:403@varrays'] })
    expect(found.of('pools')).toMatchObject([finding('fail', /HTTP 403/, /SYSTEM_MONITOR/)])
    expect(found.of('feed')).toEqual([{ status: 'skip', text: 'skipped: needs pools' }])
  })

  test('has no problem with a system that has only the three documented operations', async () => {
    const others =
      'login whoami system pools replication_groups failed_links bootstrap_links varrays vdc_nodes query ' +
      'namespaces quota usage buckets bucket_usage license'
    const faults = others.split(' ').map((operation) => `status:404@${operation}`)
    await using emulator = await startEmulator({ pools: 1, nodes: 2, faults })
    const found = await examine({
      base_url: emulator.url,
      auth: { token: 'emulator-monitor' },
      pools: [{ id: emulator.pools[0]?.id ?? '' }],
    })
    expect([...found.with('fail'), ...found.with('warn')]).toEqual([])
    expect(found.of('http')).toMatchObject([{ status: 'ok' }])
    expect(found.of('pools')).toEqual([
      { status: 'info', text: 'the system has no list of pools: the configured ids are used' },
    ])
    expect(found.of('values')).toMatchObject([{ status: 'ok' }])
    for (const { remedy = '' } of found.all) expect(remedy).not.toMatch(/id of the pool|base_url/)
  })
})

describe('feed', () => {
  test.each([
    ['html@nodes', /HTML or XML came instead of JSON/, /without a proxy or a login form/],
    ['status:500,code=6401,retryable=false@nodes', /lacks the role/, /accepted server names/],
    ['no-embedded@nodes', /has no member _embedded/, /report this with the version of the system/],
  ])('fails on %s', async (fault, text, remedy) => {
    const found = await examineEmulator({ faults: [fault] })
    expect(found.of('feed')).toMatchObject([finding('fail', text, remedy, 'hot')])
    expect(found.with('skip')).toEqual(checksAfter('feed'))
  })

  test.each([
    ['status:403,code=3001@license', /license/],
    ['status:403,code=3000@query', /accepted server names/],
    ['status:500,code=6401,retryable=false@nodes', /accepted server names/],
  ])('asks only under a condition for a role that the account has: %s', async (fault, expected) => {
    const found = await examineEmulator({ profile: 'modern', faults: [fault] })
    expect(found.of('role')).toMatchObject([{ status: 'ok', text: 'monitor has SYSTEM_MONITOR' }])
    const remedies = found.all.flatMap(({ remedy }) => remedy ?? [])
    expect(remedies.join('; ')).toMatch(expected)
    for (const remedy of remedies) expect(remedy).not.toMatch(/assign/)
  })

  test('checks the remaining pools if one fails', async () => {
    const found = await examineEmulator({ pools: 2, nodes: 1, faults: ['html@nodes,pool=hot'] })
    expect(found.with('fail')).toEqual(['feed'])
    expect(found.of('values')).toMatchObject([{ status: 'ok', subject: 'archive' }])
  })

  test('warns of a pool without nodes', async () => {
    const found = await examineEmulator({ faults: ['empty-list'] })
    expect(found.of('feed')).toMatchObject([{ status: 'warn', text: 'the response has no nodes' }])
    expect(found.with('fail')).toEqual([])
  })

  test('quotes invalid values', async () => {
    const found = await examineEmulator({ nodes: 2, faults: ['bad-values:text'] })
    expect(found.of('feed')).toMatchObject([
      { status: 'ok', text: '2 nodes' },
      finding('warn', /^\d+ values invalid .*is text that is not a number.*\("many"\)/),
    ])
    expect(found.of('values')).toMatchObject([{ status: 'ok' }])
  })

  test('warns of nodes that are not in a good state', async () => {
    expect((await examineEmulator({ nodes: 5, scenario: 'node-down' })).of('health')).toEqual([
      finding(
        'warn',
        /^4 Good, 1 (Bad|NotAccessible): hot-node-0\d \(\w+\)$|^1 .*, 4 Good: /,
        /sds-exporter nodes/,
        'hot',
      ),
    ])
  })

  test('names nodes by their id if their name is not unique', async () => {
    const faults = ['unknown-health', 'duplicate-names']
    const [{ text } = { text: '' }] = (await examineEmulator({ nodes: 2, faults })).of('health')
    expect(text).toMatch(/^2 Rebooting: unknown or missing health status of \S+, \S+$/)
    const [first, second] = text.split(' of ')[1]?.split(', ') ?? []
    expect(first).not.toBe(second)
  })
})

describe('attributes', () => {
  test('counts those of both APIs, and recognizes a system since version 3.6', async () => {
    const found = await examineEmulator({ nodes: 2, profile: 'modern' })
    const inCapacity = ATTRIBUTES.filter(({ category }) => category === 'capacity').length
    const ofFeed = `identity 6 of 6, capacity ${inCapacity} of ${inCapacity}`
    const ofQueries = 'CPU/memory/network 9 of 9, transactions 5 of 7, disk I/O 14 of 14'
    const served = 6 + inCapacity + 28
    expect(found.of('attributes')).toEqual([
      finding(
        'ok',
        `${served} of ${served + 2} attributes available: ${ofFeed}, ${ofQueries}`,
        undefined,
        'hot',
      ),
      finding('info', /^transactions: missing transactionReadLatency, /, undefined, 'hot'),
    ])
    const [coverage, news, ...rest] = (
      await examineEmulator({ nodes: 2, profile: 'modern' }, {}, { performance: { source: 'feed' } })
    ).of('attributes')
    expect(coverage?.text).toMatch(
      new RegExp(`^${6 + inCapacity} of .*${ofFeed}, CPU/memory/network 0 of 9,`),
    )
    expect(news).toMatchObject({ status: 'info', text: expect.stringContaining('since version 3.6') })
    expect(rest).toEqual([])
  })

  test('names missing attributes, and warns if a whole category is missing', async () => {
    const found = await examineEmulator({ profile: 'modern', faults: ['bad-values:nan'] })
    const text = /^capacity: missing diskSpaceTotal, diskSpaceAllocated, /
    expect(found.of('attributes')).toContainEqual(finding('warn', text, /./, 'hot'))
  })
})

describe('samples', () => {
  test('warns of old samples', async () => {
    let ahead = -7200
    await using emulator = await startEmulator({ pools: 1, nodes: 1, clock: () => Date.now() + ahead * 1000 })
    emulator.setFaults(['frozen'])
    ahead = 0
    const found = await examine({ base_url: emulator.url })
    const samples = found.of('samples')
    const categories = ['CPU/memory/network', 'capacity', 'transactions', 'disk I/O']
    expect(samples.map(({ text }) => text.slice(0, text.indexOf(' is')))).toEqual(categories)
    const text = / is 2h old: the newest sample is from \d{4}-\d\d-\d\dT/
    const old = finding('warn', text, /does not update its statistics/)
    expect(samples).toMatchObject(categories.map(() => old))
    expect(found.with('fail')).toEqual([])
  })

  test('warns of samples in the future', async () => {
    const found = await examineEmulator({ profile: 'community', faults: ['future-time:7200'] })
    const text = /^capacity is (119m|2h) in the future/
    expect(found.of('samples')).toMatchObject([finding('warn', text, /NTP/)])
  })
})

describe('values', () => {
  const node = (id: string, space: object) => ({ id, displayName: id, diskSpaceFreeCurrent: [space] })
  const FIRST = { t: 100, Space: 7 }

  /** What is found when the nodes change after their first reading. */
  async function changed(...nodes: readonly object[]) {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    let readings = 0
    await using gate = await startGate(emulator.url, (query, path) => {
      if (!path.endsWith('/nodes') || query.includes('category=')) return query
      const list = readings++ === 0 ? [node('n1', FIRST), node('n2', FIRST)] : nodes
      return { body: JSON.stringify({ _embedded: { _instances: list } }) }
    })
    return (await examine({ base_url: gate.url })).of('values').map(({ status, text }) => `${status} ${text}`)
  }

  test.each([
    ['newer', { t: 200, Space: 8 }, 'ok a second response has 1 same value, and 1 with a newer time'],
    ['missing', undefined, 'warn 1 node disappeared between two responses'],
    ['older', { t: 99, Space: 7 }, 'warn 1 sample went back in time between two responses'],
    ['of the same time', { t: 100, Space: 8 }, 'warn 1 value changed without a new time'],
  ])('of a second response, in which one is %s', async (_, space, expected) => {
    const others = space === undefined ? [] : [node('n2', space)]
    expect(await changed(node('n1', FIRST), ...others)).toEqual([expected])
  })

  test('fail if the second request fails', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    let readings = 0
    await using gate = await startGate(emulator.url, (query, path) => {
      if (!path.endsWith('/nodes') || query.includes('category=') || readings++ === 0) return query
      return undefined
    })
    const found = await examine({ base_url: gate.url })
    expect(found.of('values')).toMatchObject([{ status: 'fail', text: expect.stringContaining('HTTP 400') }])
  })
})

describe('forecasts', () => {
  test.each([true, false])('of a system that supports only braces: %s', async (takes) => {
    const hasBraces = (query: string) => /%7B|\{/i.test(query)
    await using emulator = await startEmulator({ pools: 1, nodes: 2 })
    await using gate = await startGate(emulator.url, (query) =>
      query.includes('cfTarget') && hasBraces(query) !== takes ? undefined : query,
    )
    const [right] = (await examine({ base_url: gate.url }, { forecast: { braces: takes } })).of('forecasts')
    expect(right).toMatchObject({ subject: 'hot', text: expect.stringMatching(/^\d of 8 forecasts have a/) })
    const wrong = await examine({ base_url: gate.url }, { forecast: { braces: !takes } })
    expect(wrong.of('forecasts')).toMatchObject([{ status: 'fail', subject: 'hot' }])
  })

  test('warns of targets that the responses do not have', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1 })
    const others = (query: string) =>
      query.replace(/cfTarget=[^&]*/, (targets) => targets.replace('90', '70'))
    await using gate = await startGate(emulator.url, others)
    const text = 'the responses have no forecasts of 90 % by 7d, 90 % by 4w'
    expect((await examine({ base_url: gate.url })).of('forecasts')).toMatchObject([
      finding('warn', text, /^try/),
    ])
  })

  test('warns if there are none, and fails if the request is refused', async () => {
    await using emulator = await startEmulator({ pools: 1, nodes: 1, faults: ['empty-list@forecast'] })
    const found = async () => (await examine({ base_url: emulator.url })).of('forecasts')
    const remedy = /^try forecast\.braces: false, .*forecast\.schedule: ""/
    expect(await found()).toMatchObject([finding('warn', 'the responses have no forecasts', remedy)])
    emulator.setFaults(['status:403@forecast'])
    expect(await found()).toMatchObject([finding('fail', undefined, /SYSTEM_MONITOR/)])
  })
})
