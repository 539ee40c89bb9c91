import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import { OBJECT_KINDS, RESOURCE_NAMES, type ResourceName } from '../../../src/system_catalogue.ts'
import { type Element, writeXml } from '../../../src/xml_writer.ts'
import { readText } from '../../repository/repository.ts'
import { startClient } from '../client_setup.ts'
import { serveHttp } from '../http/raw_server.ts'
import { type Bodies, bodiesOf } from './bodies.ts'
import { keyOf, linesOf, setUp } from './setup.ts'

const isOther = (name: ResourceName) => name !== 'pools'
const NAMES = RESOURCE_NAMES.filter(isOther)
const EXPECTED = readText('test/fixtures/resources/expected.prom')
const classic = bodiesOf('classic')
const HOUR_MS = 3_600_000
const ZONE = '/dashboard/zones/localzone'
const FAILED_LINKS = `${ZONE}/rglinksFailed?dataType=current`
const BOOTSTRAP_LINKS = `${ZONE}/rglinksBootstrap?dataType=current`
const PENDING = 'chunksRepoPendingReplicationTotalSize'
const embedded = (..._instances: readonly unknown[]) => ({ _embedded: { _instances } })

const refusal = (status: number, code?: number) =>
  new ApiError(status === 403 || code === 6401 ? 'forbidden' : 'not_found', 'refused', { status })

const namesOf = (lines: readonly string[]) => [...new Set(lines.map((line) => line.replace(/\{.*/, '')))]

/** Reads all resources, without a rejected value. */
async function expectSamples({ read }: Pick<ReturnType<typeof setUp>, 'read'>) {
  const lines: string[] = []
  for (const name of NAMES) {
    const reading = await read(name)
    expect(reading).toMatchObject({ leftOut: 0, rejected: [], missing: undefined })
    lines.push(...linesOf(reading))
  }
  expect(`${lines.join('\n')}\n`).toBe(EXPECTED)
}

test.each(['classic', 'documented'] as const)('the answers of a %s system become samples', async (form) => {
  await expectSamples(setUp(bodiesOf(form)))
})

/** A value in XML, as systems write it: an element for each entry of a list, and links with attributes. */
function xmlElements(name: string, value: unknown): Element[] {
  if (Array.isArray(value)) return value.flatMap((entry) => xmlElements(name, entry))
  if (typeof value !== 'object' || value === null) return [{ name, content: String(value) }]
  if (name === 'link') return [{ name, attributes: value as Record<string, string> }]
  return [{ name, content: Object.entries(value).flatMap(([key, inner]) => xmlElements(key, inner)) }]
}

const ROOTS: readonly (readonly [RegExp, string])[] = [
  [/^\/vdc\/nodes/, 'nodes'],
  [/^\/license/, 'license'],
  [/^\/vdc\/admin\/authnproviders/, 'authnproviders'],
  [/^\/vdc\/data-services\/varrays/, 'varrays'],
  [/^\/object\/namespaces$/, 'namespaces'],
  [/\/quota$/, 'namespace_quota_details'],
  [/^\/object\/bucket/, 'object_buckets'],
  [/^\/object\/billing\/namespace/, 'namespace_billing_infos'],
  [/^\/object\/billing\/buckets/, 'bucket_billing_infos'],
]

test('the lists of a system that ignores Accept and answers in XML become the same samples', async () => {
  const bodies: Bodies = {
    ...classic,
    '/vdc/data-services/varrays.json': { varray: { id: 'p1', name: 'a' } },
  }
  const answered = new Set<string>()
  await using system = await serveHttp(async (request, response) => {
    const [path = '', query = ''] = (request.url ?? '').split('?')
    const sent = await text(request)
    const key = keyOf({ operation: 'system', path, query, ...(sent !== '' && { body: sent }) })
    const { _embedded: pages, ...body } = { ...(bodies[key] as object) } as Record<string, unknown>
    const root = ROOTS.find(([pattern]) => pattern.test(path))?.[1]
    if (root === undefined) {
      response.writeHead(path.endsWith('storagepools') ? 404 : 200)
      response.end(JSON.stringify({ ...body, _embedded: pages }))
      return
    }
    answered.add(root)
    const listed = Object.entries(body).map(([name, value]) => [name.replace(/infos$/, 'info'), value])
    response.end(writeXml(xmlElements(root, Object.fromEntries(listed))[0] ?? { name: root }))
  })
  await using setup = startClient(`{name: a, base_url: "${system.url}", auth: {token: t}}`)
  await expectSamples(setUp(classic, { send: setup.client.resource }))
  const { pools } = await setup.client.pools(new AbortController().signal)
  expect(pools).toEqual([{ id: 'p1', name: 'a' }])
  expect(answered.size).toBe(ROOTS.length)
})

test('every family of the catalogue is in the fixture, but those of pools', () => {
  const families = Object.values(OBJECT_KINDS).filter(({ resource }) => isOther(resource))
  const expected = families.flatMap((kind) => [
    ...Object.keys(kind.families),
    ...(kind.count === undefined ? [] : [kind.count.family]),
  ])
  expect(namesOf(EXPECTED.trim().split('\n')).toSorted()).toEqual(expected.toSorted())
})

describe('absent values', () => {
  const systemWith = async (members: object) => {
    const body = { '/dashboard/zones/localzone?dataType=current': { numNodes: '4', ...members } }
    const reading = await setUp(body).read('system')
    return { lines: linesOf(reading), rejected: reading.rejected }
  }

  test.each<[unknown, string | undefined]>([
    ...['', 'N/A', null, [], '-1', -1].map((value): [unknown, undefined] => [value, undefined]),
    ['-2', 'negative'],
    ['four', 'text'],
    ['1.5', 'range'],
  ])('%j gives no sample, and is rejected as %s', async (value, reason) => {
    const { lines, rejected } = await systemWith({ numDisks: value })
    expect(lines).toEqual(['sds_system_nodes{system="a"} 4'])
    const text = `numDisks: ${value}`
    expect(rejected).toMatchObject(
      reason === undefined ? [] : [{ attribute: 'system', reason, text, times: 1 }],
    )
  })

  test.each([
    ['milliseconds', { replicationRpoTimestamp: '1785312642000' }, ['1785312642']],
    ['a time in the future', { replicationRpoTimestamp: '1785399999' }, []],
    ['nothing pending', { replicationRpoTimestamp: '1785312642', [PENDING]: '0' }, []],
  ])('the recovery point with %s', async (_, members, expected) => {
    const group = { id: 'g', name: 'rg', [PENDING]: '5', ...members }
    const { read } = setUp({ ...classic, [`${ZONE}/replicationgroups?dataType=current`]: embedded(group) })
    const lines = linesOf(await read('replication')).filter((line) => line.includes('recovery_point'))
    expect(lines.map((line) => line.split(' ').at(-1))).toEqual(expected)
  })
})

describe('a request of a resource that fails', () => {
  const failures = [
    new ApiError('server_error', 'refused', { status: 500 }),
    new ApiError('auth', 'refused', { status: 401 }),
    new ApiError('client_error', 'refused', { status: 400 }),
    new ApiError('timeout', 'late'),
    new ApiError('schema', 'no list'),
  ]
  const lists = [
    ['inventory', '/license', ['sds_node_software_info']],
    ['inventory', '/vdc/nodes', ['sds_system_license']],
    ['replication', BOOTSTRAP_LINKS, ['sds_replication_group']],
  ] as const

  test.each(lists.flatMap((list) => failures.map((failure) => [...list, failure.reason, failure] as const)))(
    'takes nothing from the others: %s, %s (%s is left), %s',
    async (resource, path, left, _, failure) => {
      const all = linesOf(await setUp(classic).read(resource))
      const reading = await setUp({ ...classic, [path]: failure }).read(resource)
      expect(reading.missing).toBe(failure)
      const lines = linesOf(reading)
      expect(lines.length).toBeLessThan(all.length)
      for (const name of left) expect(namesOf(lines).some((family) => family.startsWith(name))).toBe(true)
      expect(lines.filter((line) => !all.includes(line))).toEqual([])
    },
  )

  test('is reported before one that the system does not serve', async () => {
    const failure = new ApiError('server_error', 'refused', { status: 500 })
    const { read } = setUp({ ...classic, [FAILED_LINKS]: refusal(404), [BOOTSTRAP_LINKS]: failure })
    expect((await read('replication')).missing).toBe(failure)
  })

  test('fails the resource if it is the only one', async () => {
    const failure = new ApiError('server_error', 'refused', { status: 500 })
    const { read } = setUp({ ...classic, '/license': failure, '/vdc/nodes': failure })
    await expect(read('inventory')).rejects.toBe(failure)
  })
})

describe('requests of a resource that the system does not serve', () => {
  const without = (...paths: string[]): Bodies =>
    Object.fromEntries(Object.entries(classic).filter(([key]) => !paths.some((path) => key.startsWith(path))))

  test('leave out their families, while others are served', async () => {
    const reading = await setUp(without('/license')).read('inventory')
    expect(reading.missing).toMatchObject({ reason: 'not_found' })
    expect(namesOf(linesOf(reading))).toEqual(['sds_node_software_info'])
  })

  test('fail the resource if they are all of them', async () => {
    const { read } = setUp(without('/license', '/vdc/nodes'))
    await expect(read('inventory')).rejects.toMatchObject({ reason: 'not_found' })
  })

  test('are sent every hour only, after three refusals in a row', async () => {
    const { read, requests, clock } = setUp({ ...classic, '/license': refusal(403) })
    for (let count = 0; count < 10; count += 1) await read('inventory')
    expect(requests.filter((path) => path === '/license')).toHaveLength(3)
    clock.ms += HOUR_MS
    await read('inventory')
    expect(requests.filter((path) => path === '/license')).toHaveLength(4)
  })

  test('of several resources are counted for each', async () => {
    const { read, requests } = setUp({ ...classic, '/object/namespaces': refusal(403) })
    for (let count = 0; count < 2; count += 1)
      for (const resource of ['namespaces', 'buckets'] as const)
        await expect(read(resource)).rejects.toMatchObject({ reason: 'forbidden' })
    expect(requests.filter((path) => path === '/object/namespaces')).toHaveLength(4)
  })

  test('are those without any member that is exported, too', async () => {
    const { read } = setUp({ '/dashboard/zones/localzone?dataType=current': { id: 'localzone' } })
    await expect(read('system')).rejects.toMatchObject({ reason: 'not_found' })
  })
})

test.each([
  ['no list', { other: 1 }],
  ['no object', [1]],
])('a response with %s is an error', async (_, body) => {
  await expect(setUp({ '/vdc/nodes': body, '/license': body }).read('inventory')).rejects.toMatchObject({
    reason: 'schema',
  })
})

test('an entry without an id has the series of its name once, also if the name is that of others', async () => {
  const nodes = [{ nodename: 'n1' }, { nodename: 'n1' }, { nodename: 'n2', nodeid: 'i2' }, { nodename: 'n2' }]
  const body = { node: nodes.map((node) => ({ ...node, version: '4.0' })) }
  const lines = linesOf(await setUp({ ...classic, '/vdc/nodes': body }).read('inventory'))
  const ofNodes = lines.filter((line) => line.startsWith('sds_node_software_info'))
  expect(ofNodes).toHaveLength(3)
  expect(new Set(ofNodes).size).toBe(3)
})

test('an empty list of failed links is 0, and no link', async () => {
  const { read } = setUp({ ...classic, [FAILED_LINKS]: embedded() })
  const lines = linesOf(await read('replication')).filter((line) => line.includes('failed'))
  expect(lines).toEqual(['sds_replication_links_failed{system="a"} 0'])
})

test('a failed link without a name is counted, but not an empty entry', async () => {
  const link = { id: 'l1', rgName: '', zone1Name: 'fra', zone2Name: 'muc' }
  const { read } = setUp({ ...classic, [FAILED_LINKS]: embedded(link, {}, 'none') })
  const reading = await read('replication')
  expect(linesOf(reading).filter((line) => line.includes('failed'))).toEqual([
    'sds_replication_links_failed{system="a"} 1',
  ])
  expect(reading.rejectedObjects).toBe(3)
})

describe('authentication providers', () => {
  const PATH = '/vdc/admin/authnproviders'
  const linesFor = async (body: unknown) => linesOf(await setUp({ [PATH]: body }).read('providers'))
  const info = (provider: string, id: string) =>
    `sds_authn_provider_info{system="a",provider="${provider}",provider_id="${id}"} 1`

  test.each<[string, unknown]>([
    ['an empty list', { authnprovider: [] }],
    ['no list', {}],
    ['null', () => null],
    ['the root of an empty list', { authnproviders: null }],
  ])('%s are none', async (_, body) => {
    expect(await linesFor(body)).toEqual(['sds_authn_providers{system="a"} 0'])
  })

  test('whose name is missing or not unique have their id instead', async () => {
    const names = ['ldap', 'ldap', undefined, 'ad']
    const list = names.map((name, index) => ({ id: `i${index + 1}`, name }))
    expect(await linesFor({ authnprovider: list })).toEqual([
      info('ad', 'i4'),
      info('i1', 'i1'),
      info('i2', 'i2'),
      info('i3', 'i3'),
      'sds_authn_providers{system="a"} 4',
    ])
  })

  test('that are listed twice count once', async () => {
    const list = ['i1', 'i2', 'i1'].map((id) => ({ id, name: `of ${id}` }))
    const reading = await setUp({ [PATH]: { authnprovider: list } }).read('providers')
    expect([reading.counts.get('sds_authn_providers'), reading.rejectedObjects]).toEqual([2, 1])
  })

  test('with another object instead of a list fail', async () => {
    await expect(linesFor({ code: 1 })).rejects.toMatchObject({ reason: 'schema' })
  })
})

describe('limits', () => {
  const list = (count: number, of: (index: number) => object) =>
    Array.from({ length: count }, (_, index) => of(index))

  test('100 replication groups and 200 links are exported, and the count is that of all', async () => {
    const groups = list(130, (index) => ({ id: `g${index}`, name: `rg${index}`, numZones: '2' }))
    const links = list(250, (index) => ({ rgName: `rg${index}`, zone1Name: 'a', zone2Name: 'b' }))
    const { read } = setUp({
      [`${ZONE}/replicationgroups?dataType=current`]: embedded(...groups),
      [FAILED_LINKS]: embedded(...links),
      [BOOTSTRAP_LINKS]: embedded(),
    })
    const reading = await read('replication')
    const lines = linesOf(reading)
    expect(lines.filter((line) => line.includes('_sites{'))).toHaveLength(100)
    expect(lines.filter((line) => line.includes('_link_failed{'))).toHaveLength(200)
    expect(lines).toContain('sds_replication_links_failed{system="a"} 250')
    expect(reading.leftOut).toBe(30 + 50)
  })

  test('20,000 nodes of the inventory are read, with and without a version', async () => {
    const node = list(20_003, (index) => ({ nodename: `n${index}`, nodeid: `i${index}` }))
    const { read } = setUp({ ...classic, '/vdc/nodes': { node } })
    expect(await read('inventory')).toMatchObject({ exportedObjects: 20_001, leftOut: 3 })
  })

  test('nodes of 20 versions are exported', async () => {
    const versionOf = (index: number) => `4.${Math.floor(index / 2)}`
    const node = list(40, (index) => ({
      nodename: `n${index}`,
      nodeid: `i${index}`,
      version: versionOf(index),
    }))
    const more = { nodename: 'x', nodeid: 'x', version: '5.0' }
    const { read } = setUp({ ...classic, '/vdc/nodes': { node: [...node, more] } })
    const reading = await read('inventory')
    expect(linesOf(reading).filter((line) => line.includes('_software_'))).toHaveLength(40)
    expect(reading.leftOut).toBe(1)
  })
})

describe('the expiry of a license', () => {
  const expiryOf = async (date: unknown) => {
    const license = { license_feature: [{ expired_ind: 'false', expiration_date: date }] }
    const reading = await setUp({ ...classic, '/license': license }).read('inventory')
    const lines = linesOf(reading).filter((line) => line.includes('expiry'))
    return { values: lines.map((line) => line.split(' ').at(-1)), rejected: reading.rejected }
  }

  test.each([
    ['a date with the month first', ['12/31/2026'], [String(Date.UTC(2026, 11, 31) / 1000)], []],
    [
      'that of a permanent license, which has none',
      [
        ...['01/01/2900', '01/01/12006', '12/31/9999', '2999-12-31', '9999-12-31T23:59:59Z'],
        ...[253_402_300_799_000, '253402300799'],
      ],
      [],
      [],
    ],
    ['rejected', ['31/12/2026', '02/30/2026', '00/10/2026'], [], [{ reason: 'time', times: 1 }]],
    ['none', [0, '0', '0.0'], [], []],
  ])('is %s', async (_, dates, values, rejected) => {
    for (const date of dates) expect(await expiryOf(date)).toMatchObject({ values, rejected })
  })
})

describe('queries about the whole system', () => {
  type Row = readonly [value: string, field: string, tag: string, time?: string]
  const rowsOf = (measurement: string, tag: string, rows: readonly Row[]) => ({
    Series: [
      {
        Columns: ['_start', '_stop', '_time', '_value', '_field', '_measurement', tag],
        Values: rows.map(([value, field, text, time = '08:10:57']) => [
          '2026-07-29T07:41:40Z',
          '2026-07-29T08:11:40Z',
          `2026-07-29T${time}Z`,
          ...[value, field, measurement, text],
        ]),
      },
    ],
  })
  const tablesOf = (rows: readonly Row[]) => rowsOf('dtquery_dt_status', 'process', rows)
  const EMPTY = { Series: [{ Datatypes: null, Columns: null, Values: null }] }

  test('without rows give no sample', async () => {
    const { read } = setUp({ query_directoryTables: EMPTY, query_replicationLag: EMPTY })
    expect(await read('system_queries')).toMatchObject({ objects: [], missing: undefined, rejected: [] })
  })

  test.each([
    ['in its words', new ApiError('client_error', 'the query was refused: failed to compile')],
    ['as its store has no such bucket', new ApiError('server_error', 'could not find bucket "x"')],
  ])('that the system refuses %s leave out their families', async (_, failure) => {
    const { read } = setUp({ ...classic, query_replicationLag: failure })
    const reading = await read('system_queries')
    expect(reading.missing).toMatchObject({ reason: 'not_found', detail: failure.detail })
    const tables = ['sds_system_directory_tables', 'sds_system_directory_tables_by_state']
    expect(namesOf(linesOf(reading)).toSorted()).toEqual(tables)
  })

  test('that fail take nothing from the others', async () => {
    const { read } = setUp({ ...classic, query_replicationLag: new ApiError('server_error', 'internal') })
    const reading = await read('system_queries')
    expect(reading.missing).toMatchObject({ reason: 'server_error' })
    expect(namesOf(linesOf(reading))).toContain('sds_system_directory_tables')
  })

  const unready = async (...rows: readonly Row[]) => {
    const reading = await setUp({ ...classic, query_directoryTables: tablesOf(rows) }).read('system_queries')
    const found = linesOf(reading).filter((line) => line.includes('"unready"'))
    return [found.map((line) => line.split(' ').at(-1)), reading.rejected.map(({ reason }) => reason)]
  }

  test('with several series of a field have the newest value, of one time the largest, and none for an unreadable one', async () => {
    const [older, newer]: Row[] = [
      ['7', 'unready', 'p1', '07:50:57'],
      ['4', 'unready', 'p2', '08:10:27'],
    ]
    if (older === undefined || newer === undefined) throw new Error('two rows')
    expect(await unready(older, newer)).toEqual([['4'], []])
    expect(await unready(newer, older)).toEqual([['4'], []])
    expect(await unready(newer, ['5', 'unready', 'p3', '08:10:27'])).toEqual([['5'], []])
    expect(await unready(older, ['many', 'unready', 'p2'])).toEqual([[], ['text']])
  })

  test('have one lag of a group whose id is served in two forms, the newest one', async () => {
    const rows: Row[] = [
      ['7200000', 'RPO_Lag_Millis', 'Replication_Group: urn:g1', '07:50:57'],
      ['1000', 'RPO_Lag_Millis', 'urn:g1'],
    ]
    for (const some of [rows, rows.toReversed()]) {
      const name = 'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO'
      const body = rowsOf(name, 'Replication_Group', some)
      const reading = await setUp({ ...classic, query_replicationLag: body }).read('system_queries')
      expect(linesOf(reading).filter((line) => line.includes('_lag_seconds'))).toEqual([
        'sds_replication_group_lag_seconds{system="a",replication_group="urn:g1"} 1',
      ])
    }
  })
})

test('objects that occur twice are exported once, and counted', async () => {
  const link = { rgName: 'rg', zone1Name: 'a', zone2Name: 'b' }
  const { read } = setUp({ ...classic, [FAILED_LINKS]: embedded(link, link, {}) })
  const reading = await read('replication')
  expect(linesOf(reading).filter((line) => line.includes('_link_failed{'))).toHaveLength(1)
  expect(reading.rejectedObjects).toBe(2)
})

test('secrets of the responses are in no reading', async () => {
  const { read } = setUp(classic)
  expect(JSON.stringify(classic)).toContain('marked-secret')
  for (const name of NAMES) expect(JSON.stringify(await read(name))).not.toContain('marked-secret')
})
