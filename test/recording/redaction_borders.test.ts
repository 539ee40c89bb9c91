import { describe, expect, test } from 'vitest'
import type { ReceivedExchange } from '../../src/api/client.ts'
import { QUERY_PATH } from '../../src/query_catalogue.ts'
import { createStandIns } from '../../src/recording/redaction/stand_ins.ts'
import { POOL, received, redacted, redactor } from './received.ts'

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
    expect(recorded(['id'], rows, { operation: 'system', path: QUERY_PATH })).toEqual([
      ['ttfb_read'],
      ['word-1'],
    ])
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
  const queried = redactor().exchange(
    received({ operation: 'query', path: QUERY_PATH, sent: query, text: '{}' }),
  )
  expect(queried.request.body).toEqual(JSON.parse(query))
})

test.each([
  [{ location: 'https://sso.bank.com/login?service=jane' }, { location: '/login' }],
  [{ location: 'https://sso.bank.com/jane' }, { location: '/' }],
  [{ 'retry-after': ' 30 ' }, { 'retry-after': '30' }],
  [{ 'retry-after': 'jane' }, undefined],
  [{ server: 'jane' }, undefined],
])('of the headers %j, %j is recorded', (headers, recorded) => {
  expect(redactor().exchange(received({ text: '{}', headers })).headers).toEqual(recorded)
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
