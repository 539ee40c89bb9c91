import { describe, expect, test } from 'vitest'
import type { ReceivedExchange } from '../../src/api/client.ts'
import { QUERY_PATH } from '../../src/query_catalogue.ts'
import { recordingLines } from '../../src/recording/format.ts'
import { findLeaks } from '../../src/recording/leaks.ts'
import { createStandIns } from '../../src/recording/stand_ins.ts'
import { POOL, RECORDING_HEADER, received, redacted, redactor } from './received.ts'

/** The answer to a query. */
const seriesOf = (Columns: readonly string[], ...Values: readonly (readonly string[])[]) => ({
  Series: [{ Columns, Values }],
})

test('numbers, flags, units, times, versions and statuses stay', () => {
  const body = {
    healthStatus: 'NotAccessible',
    numDisks: '60',
    apiChange: '1',
    diskSpaceFreeCurrentL1: [{ Space: '1.5434643250766666E13', t: '1785312642' }],
    ' diskSpaceTotal ': [{ ' Space ': 23000000, t: '12345678' }],
    allocatedCapacityForecast: [{ unit: 'day', forecast: 'N/A', history: '7', target: '50' }],
    transactionErrors: { types: [{ errorType: '404 (S3)', category: 'User', errorCount: '6293' }] },
    version: '4.3.0.0.142978.5d1c0a7b2e4',
    sample_time: '2026-03-11T12:34:56Z',
    expiration_date: '01/10/2014',
    expired_ind: false,
    nothing_of_it: undefined,
    diskSpaceAllocated: null,
  }
  expect(redacted(body)).toEqual(JSON.parse(JSON.stringify(body)))
})

test('names, ids, addresses, mails and free text become stand-ins, the same one for the same text', () => {
  const id = '69721EED-3CAE-4BF3-88C7-8719A9273AF1'
  const body = [
    { displayName: 'ecs-node-01.prod.bank.com', id, mgmt_ip: '10.4.0.101' },
    { displayName: 'tape', storagePoolName: 'gold', owner: 'jane@bank.com', serial: 'CKM00123' },
    { displayName: 'tape', data_ip: 'fe80::1', description: 'see ticket 4711', id: '10.4.0.102' },
  ]
  const standIn = expect.stringMatching(/^[\dA-F]{8}(-[\dA-F]{4}){3}-[\dA-F]{12}$/)
  expect(redacted(body)).toEqual([
    { displayName: 'node-1.example.net', id: standIn, mgmt_ip: '198.18.0.1' },
    { displayName: 'node-2', storagePoolName: 'pool-1', owner: 'mail-1@example.net', serial: 'serial-1' },
    { displayName: 'node-2', data_ip: '2001:db8::1', description: 'text-1', id: '198.18.0.2' },
  ])
})

test('an id is the same alone, in a URN, in a link, in a path and in the answer to a query', () => {
  const one = redactor()
  const urn = `urn:storageos:VirtualArray:${POOL}`
  const standIn = one.standIns.of(POOL, 'id')
  expect(standIn).not.toBe(POOL)
  const href = `/dashboard/storagepools/${urn}/nodes`
  const node = { id: urn, storagePoolId: POOL, _links: { nodes: { href: `${href} ` } } }
  const { request, body } = one.exchange(received({ path: href, text: JSON.stringify(node) }))
  expect(request.path).toBe(href.replace(POOL, standIn))
  const _links = { nodes: { href: href.replace(POOL, standIn) } }
  expect(body).toEqual({ id: urn.replace(POOL, standIn), storagePoolId: standIn, _links })
  const columns = ['_time', '_value', 'host', 'node_id']
  const time = '2026-03-11T12:34:56Z'
  const answer = seriesOf([...columns, 'rack-of-jane'], [time, '12', 'n1', POOL, 'x'])
  const redactedAnswer = seriesOf([...columns, 'member-1'], [time, '12', 'node-1', standIn, 'text-1'])
  const answered = one.exchange(received({ operation: 'query', text: JSON.stringify(answer) }))
  expect(answered.body).toEqual(redactedAnswer)
})

test('a name of a host has the same stand-in in any case, other names do not', () => {
  const one = redactor()
  const bodyOf = (value: unknown, operation: 'nodes' | 'query' | 'namespaces' = 'nodes') =>
    one.exchange(received({ operation, text: JSON.stringify(value) })).body
  const nodes = [{ displayName: 'ECS-Node-01.Bank.com' }, { nodename: 'Tape' }, { fqdn: 'TAPE' }]
  const standIns = [{ displayName: 'node-1.example.net' }, { nodename: 'node-2' }, { fqdn: 'node-2' }]
  expect(bodyOf(nodes)).toEqual(standIns)
  const rows = (...hosts: readonly string[]) => seriesOf(['host'], ...hosts.map((host) => [host]))
  expect(bodyOf(rows('ecs-node-01.bank.com', 'tape', 'other'), 'query')).toEqual(
    rows('node-1.example.net', 'node-2', 'node-3'),
  )
  expect(bodyOf({ namespace: [{ name: 'Jane' }, { name: 'jane' }] }, 'namespaces')).toEqual({
    namespace: [{ name: 'namespace-1' }, { name: 'namespace-2' }],
  })
  const names = bodyOf({ bucketName: 'TaPe', rgName: 'OTHER' })
  expect(names).toEqual({ bucketName: 'bucket-1', rgName: 'replication-group-1' })
  // What is searched for in the recording.
  expect([...one.standIns.replaced().keys()]).toEqual(
    expect.arrayContaining(['ECS-Node-01.Bank.com', 'ecs-node-01.bank.com', 'Tape', 'TAPE', 'tape']),
  )
})

test('names of members from outside are replaced, and all texts below them', () => {
  const body = { '2024-customer': { '4711': '0815', name: '12345' }, __proto__x: 'Good', numDisks: 'sixty' }
  expect(redacted(body, 'namespaces')).toEqual({
    'member-1': { 'member-2': 'text-1', name: 'namespace-1' },
    'member-3': 'text-2',
    numDisks: 'text-3',
  })
})

test('passwords, tokens, keys, certificates and licence text are dropped', () => {
  const body = {
    secretKeys: { secretKey: ['a'] },
    root_user_password: 'b',
    license_text: 'INCREMENT c',
    new_api_token: 'd',
    title: '-----BEGIN CERTIFICATE-----',
  }
  expect(redacted(body)).toEqual({
    secretKeys: '<dropped>',
    root_user_password: '<dropped>',
    license_text: '<dropped>',
    'member-1': '<dropped>',
    title: '<dropped>',
  })
})

test('XML stays XML', () => {
  const text = `<?xml version="1.0"?><authnproviders><authnprovider><id>urn:storageos:AuthnProvider:${POOL}:</id><link href="/vdc/admin/authnproviders/urn:storageos:AuthnProvider:${POOL}:" rel="self"/><name>jane &amp; co</name><jane>x</jane></authnprovider></authnproviders>`
  const one = redactor()
  const { format, body } = one.exchange(received({ operation: 'providers', text }))
  const standIn = one.standIns.of(POOL, 'id')
  expect({ format, body }).toEqual({
    format: 'xml',
    body: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><authnproviders><authnprovider><id>urn:storageos:AuthnProvider:${standIn}:</id><link href="/vdc/admin/authnproviders/urn:storageos:AuthnProvider:${standIn}:" rel="self"/><name>provider-1</name><member-1>text-1</member-1></authnprovider></authnproviders>`,
  })
})

test('what a node says at its data port stays, but for its text', () => {
  const text = `<PingList><PingItem><Name>LOAD_FACTOR</Name><Value>17</Value></PingItem><PingItem><Name>MAINTENANCE_MODE</Name><Status>OFF</Status><Text>jane</Text></PingItem></PingList>`
  const { request, body } = redactor().exchange(
    received({ operation: 'data_nodes', path: '/', query: 'ping&item=load-factor', text }),
  )
  expect(request).toMatchObject({ path: '/', query: 'ping&item=load-factor' })
  expect(body).toContain(text.replace('jane', 'text-1'))
})

test.each([
  ['<html><title>jane</title></html>', 'html'],
  ['not json of jane', 'text'],
  ['<a><b>', 'text'],
  ['', 'empty'],
])('the body %s is recorded as %s only', (text, format) => {
  const exchange = redactor().exchange(received({ text }))
  expect(exchange).toMatchObject({ status: 200, format })
  expect(exchange.body).toBeUndefined()
})

test('with names kept, everything else is replaced, and a name with a secret', () => {
  const displayName = 'node-in-frankfurt'
  const body = { displayName, id: POOL, owner: 'jane', nodename: 'password-of-the-monitor-1' }
  const id = expect.not.stringContaining(POOL)
  expect(redacted(body, 'nodes', true)).toEqual({ displayName, id, owner: 'user-1', nodename: 'node-1' })
})

test('parameters of requests are replaced where they hold names', () => {
  const one = redactor()
  const query = 'namespace=jane%20doe&limit=500&marker=jane&secret=jane'
  const { request } = one.exchange(
    received({ operation: 'buckets', path: '/object/billing/buckets/jane%20doe/info', query, text: '{}' }),
  )
  expect(request).toMatchObject({
    path: '/object/billing/buckets/namespace-1/info',
    query: 'namespace=namespace-1&limit=500&marker=marker-1',
  })
})

const NO_UUID = '00000000-0000-0000-0000-000000000000'

/** Columns: member, its text, and what is recorded of it. */
const TEXTS: readonly [member: string, text: string, recorded: string][] = [
  [' Space ', '23000000', '23000000'],
  ['Space', '1'.repeat(64), '1'.repeat(64)],
  ['Space', '1'.repeat(65), 'text-1'],
  ['sample_time', 'yesterday by jane', 'text-1'],
  ['version', '4.3.0.0.142978', '4.3.0.0.142978'],
  ['version', '4.3.0 of jane', 'text-1'],
  ['status', 'cpu12', 'cpu12'],
  ['status', 'jane', 'word-1'],
  ['errorType', '404 (jane)', 'word-1'],
  ['storagePoolId', 'localzone', 'localzone'],
  ['storagePoolId', 'jane', 'id-1'],
  ['storagePoolId', NO_UUID, NO_UUID],
  ['storagePoolId', `urn:bank:Jane:${NO_UUID}`, `urn:id-1:id-2:${NO_UUID}`],
  ['_field', 'usage_idle', 'usage_idle'],
  ['_field', 'jane', 'field-1'],
  ['_measurement', 'cpu', 'cpu'],
  ['_measurement', 'jane', 'measurement-1'],
  ['_measurement', 'blob_IO_Statistics_data_read', 'blob_IO_Statistics_data_read'],
  ['_measurement', 'jane_IO_Statistics_data_read', 'service-1_IO_Statistics_data_read'],
  ['_measurement', `${'a'.repeat(60)}_IO_Statistics_data_read`, 'measurement-1'],
  ['interface', 'eth0.'.repeat(13), 'interface-1'],
  ['interface', 'public.data', 'public.data'],
  ['interface', 'private.4', 'private.4'],
  ['interface', 'jane.17', 'interface-1.17'],
  ['interface', 'enx0011aabbccdd', 'enxinterface-1'],
  ['interface', 'lo', 'lo'],
  ['description', 'Insufficient permissions', 'Insufficient permissions'],
  ['error', 'failed to compile query: undefined identifier "jane"', 'failed to compile query: text-1'],
  ['description', 'Insufficient permissions for jane', 'Insufficient permissions: text-1'],
  ['description', `${'a'.repeat(20_000)}Insufficient permissions`, 'text-1'],
  ['description', '-----BEGIN RSA PRIVATE KEY-----', '<dropped>'],
]

test.each(TEXTS)('member %s with %s is recorded as %s', (member, text, recorded) => {
  expect(redacted({ [member]: text })).toEqual({ [member]: recorded })
})

test.each(['root_password', 'apiCredential', 'private-key', 'PrivateKey', 'sslCertificate', 'LICENSE_TEXT'])(
  'a member with a name like %s is dropped, also if it is not known',
  (name) => {
    expect(redacted({ [name]: [{ a: 'jane' }] })).toEqual({ 'member-1': '<dropped>' })
  },
)

test('names that are not known are reported as they came', () => {
  const one = redactor()
  one.exchange(received({ text: JSON.stringify({ jane: { numDisks: 1, ' joe ': 2 } }) }))
  expect(one.unknownMembers()).toEqual(new Set(['jane', ' joe ']))
})

test('what is nested too deep is dropped', () => {
  const recorded = JSON.stringify(redacted(JSON.parse(`${'['.repeat(60)}"jane"${']'.repeat(60)}`)))
  expect(recorded).toContain('<dropped>')
  expect(recorded).not.toContain('text-')
})

describe('rows of a query', () => {
  const recorded = (Columns: unknown, Values: unknown, request: Partial<ReceivedExchange> = {}) => {
    const text = JSON.stringify({ Series: [{ Columns, Values }] })
    const { body } = redactor().exchange({ ...received({ operation: 'query', text }), ...request })
    return (body as { Series: { Values: unknown }[] }).Series[0]?.Values
  }

  test('only columns of the product have kinds', () => {
    expect(recorded(['healthStatus', '_value'], [['Good', '12']])).toEqual([['text-1', '12']])
  })

  test('cells without a column, and rows that are no lists, are replaced', () => {
    expect(recorded(['_value'], [['12', '4711'], 'jane'])).toEqual([['12', 'text-1'], 'text-2'])
  })

  test('an id is that of an operation, also in queries of a resource', () => {
    const rows = [['ttfb_read'], ['jane']]
    expect(recorded(['id'], rows)).toEqual([['ttfb_read'], ['word-1']])
    const ofResource = recorded(['id'], rows, { operation: 'system', path: QUERY_PATH })
    expect(ofResource).toEqual([['ttfb_read'], ['word-1']])
  })
})

test('XML: a secret with children is dropped as a whole', () => {
  const text = '<vdcs><secretKeys><secretKey>jane</secretKey></secretKeys></vdcs>'
  const { body } = redactor().exchange(received({ operation: 'system', text }))
  expect(body).toContain('<secretKeys>&lt;dropped&gt;</secretKeys>')
})

test.each([
  ['/vdc/jane/list', '/vdc/id-1/list'],
  [`/dashboard/${'nodes/'.repeat(25)}`, '/'],
  [`/dashboard/${'n'.repeat(4096)}`, '/'],
  ['https://jane.bank.com:4443/dashboard/nodes/jane?x=1', '/dashboard/nodes/id-1'],
  ['https://[jane/dashboard', '/'],
  ['/object/bucket?namespace=jane&limit=10', '/object/bucket?namespace=namespace-1&limit=10'],
  ['/object/bucket?limit=jane&sizeunit=KB', '/object/bucket?sizeunit=KB'],
])('the link %s', (href, recorded) => {
  const isLong = href.length > 4096
  const { body, request } = redactor().exchange(
    received({ path: isLong ? href : '/license', text: JSON.stringify({ href }) }),
  )
  expect(isLong ? { href: request.path } : body).toEqual({ href: recorded })
})

test('the body of a request is redacted, the text of a query is not', () => {
  const sent = JSON.stringify({ id: ['jane'] })
  const usage = redactor().exchange(received({ operation: 'namespaces', sent, text: '{}' }))
  expect(usage.request.body).toEqual({ id: ['namespace-1'] })
  const query = JSON.stringify({ query: 'from(bucket: "monitoring_op")' })
  const queried = received({ operation: 'query', path: QUERY_PATH, sent: query, text: '{}' })
  expect(redactor().exchange(queried).request.body).toEqual(JSON.parse(query))
})

describe('stand-ins of UUIDs', () => {
  const key = (byte: number) => createStandIns(Buffer.alloc(32, byte))

  test('are the same for both cases of an id, and others with another key', () => {
    const standIn = key(1).of(POOL, 'id')
    expect(key(1).of(POOL.toUpperCase(), 'id')).toBe(standIn.toUpperCase())
    expect(key(2).of(POOL, 'id')).not.toBe(standIn)
    expect(createStandIns().of(POOL, 'id')).not.toBe(createStandIns().of(POOL, 'id'))
  })

  test('are known as made here, other texts are not', () => {
    const standIns = key(1)
    expect([standIns.isStandIn(standIns.of(POOL, 'id')), standIns.isStandIn(POOL)]).toEqual([true, false])
  })
})

const LINE = { request: { operation: 'nodes', method: 'GET', path: '/' }, at: 1 } as const
const SECRET = 'Tr0ub4dor&3 é'

test.each([
  ['plain', SECRET],
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['with percent-encoding of all bytes', Buffer.from(SECRET).toString('hex').replaceAll(/../g, '%$&')],
  ['base64', Buffer.from(SECRET).toString('base64')],
  ['base64 of a longer text', Buffer.from(`user:${SECRET} `).toString('base64')],
])('a forbidden text is found %s', (_, text) => {
  const exchange = { ...LINE, status: 200, format: 'json', body: { a: { b: [text] } } } as const
  const forbidden = { text: SECRET, what: 'the password' }
  const leaksIn = (one: Parameters<typeof recordingLines>[0]['exchanges'][number]) =>
    findLeaks(recordingLines({ header: RECORDING_HEADER, exchanges: [one] }), [forbidden], () => false)
  expect([leaksIn(exchange), leaksIn(LINE)]).toEqual([[forbidden], []])
})

test('words of the product, numbers and stand-ins are no leaks', () => {
  const lines = [JSON.stringify({ healthStatus: 'Good', nodename: 'node-1', t: '20240101' })]
  const texts = ['Good', 'node-1', '20240101', 'status', 'nodes', 'name']
  const forbidden = texts.map((text) => ({ text, what: 'a replaced text' }))
  expect(findLeaks(lines, forbidden, (text) => text === 'node-1')).toEqual([])
})

test('a text of four characters is searched, a shorter one is not', () => {
  const forbidden = ['x9#!', 'x9#'].map((text) => ({ text, what: 'the password' }))
  expect(findLeaks(['"x9#!"', '"x9#"'], forbidden, () => false)).toEqual(forbidden.slice(0, 1))
})

/** CPU time of the thread, because other tests run beside. */
test('16 MB of one character, and thousands of texts, take linear time', () => {
  const description = `${'\\'.repeat(100_000)}%${'25'.repeat(100_000)}`
  const body = { displayName: 'a'.repeat(16_000_000), description }
  const names = Array.from({ length: 5000 }, (_, index) => ({ name: `${'customer-'.repeat(5)}${index}` }))
  const began = process.threadCpuUsage()
  const one = redactor()
  const exchanges = [
    one.exchange(received({ text: JSON.stringify(body) })),
    one.exchange(received({ operation: 'namespaces', text: JSON.stringify({ namespace: names }) })),
  ]
  const texts = [...one.standIns.replaced().keys()].map((text) => ({ text, what: '' }))
  const lines = exchanges.map((line) => JSON.stringify(line))
  expect(findLeaks(lines, texts, one.standIns.isStandIn)).toEqual([])
  const { user, system } = process.threadCpuUsage(began)
  expect((user + system) / 1e6).toBeLessThan(10)
})
