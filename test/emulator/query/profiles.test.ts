import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../src/emulator/protocol/profiles.ts'
import { call, type Json, NOW_SECONDS, nodesOf, startEmulator } from '../client.ts'
import { query, rowsOf, script } from './client.ts'

const NET = script('monitoring_op', 'net', '|> last()', 'start: -15m')
const THROUGHPUT = 'statDataHead_performance_internal_throughput'

test.each([
  ['documented', /^2\.2\./],
  ['classic', /^3\.5\./],
  ['modern', /^4\.3\./],
  ['range-defect', /^3\.8\.0\./],
  ['community', /^3\.8\.1\./],
] as const)('profile %s has its version in /vdc/nodes', async (profile, version) => {
  const emulator = await startEmulator({ profile })
  const { node } = (await call(emulator, '/vdc/nodes.json')).json()
  for (const { version: own } of node) expect(own).toMatch(version)
})

test.each(['classic', 'modern', 'range-defect'] as const)(
  'profile %s: node_id is the id of the feed and of /vdc/nodes, host the name',
  async (profile) => {
    const emulator = await startEmulator({ profile })
    const rows = await rowsOf(emulator, script('monitoring_op', 'cpu', '|> last()', 'start: -15m'))
    const served = new Set(rows.map((row) => `${row['node_id']} ${row['host']}`))
    const feed = [...(await nodesOf(emulator)), ...(await nodesOf(emulator, '', 1))]
    const { node } = (await call(emulator, '/vdc/nodes.json')).json()
    expect([...served].sort()).toEqual(feed.map(({ id, displayName }) => `${id} ${displayName}`).sort())
    expect([...served].sort()).toEqual(
      node.map(({ nodeid, nodename }: Json) => `${nodeid} ${nodename}`).sort(),
    )
  },
)

test('the fields of the CPU add up to 100 %', async () => {
  const emulator = await startEmulator({ profile: 'classic', pools: 1, nodes: 1 })
  const rows = await rowsOf(emulator, script('monitoring_op', 'cpu', '|> last()'))
  const kinds = ['idle', 'iowait', 'nice', 'system', 'user']
  expect(rows.map((row) => row['_field'])).toEqual(kinds.map((kind) => `usage_${kind}`))
  expect(rows.reduce((sum, row) => sum + Number(row['_value']), 0)).toBeCloseTo(100, 6)
})

test('directory tables have the fields of real systems', async () => {
  const emulator = await startEmulator({ profile: 'modern', pools: 1, nodes: 1 })
  const rows = await rowsOf(emulator, script('monitoring_op', 'dtquery_dt_status', '|> last()'))
  const values = Object.fromEntries(rows.map((row) => [row['_field'], row['_value']]))
  expect(values).toEqual({ total: '384', unready: '0', unknown: '0', RIS_failure: '0', dump_failure: '0' })
})

describe('network interfaces', () => {
  const COUNTERS = ['bytes_recv', 'bytes_sent', 'drop_in', 'drop_out']
  const read = async (profile: Profile) => {
    const rows = await rowsOf(await startEmulator({ profile, pools: 1, nodes: 1 }), NET)
    const fields = [...new Set(rows.map((row) => row['_field']))]
    const lastOf = (name: string, field: string) =>
      Number(rows.find((row) => row['interface'] === name && row['_field'] === field)?.['_value'])
    const names = [...new Set(rows.map((row) => row['interface']))]
    return { names, fields, lastOf }
  }

  test('of version 4.3: VLANs are counted in their parent, and there is a speed', async () => {
    const { names, fields, lastOf } = await read('modern')
    expect(names).toEqual(['private.4', 'public', 'public.data', 'public.repl'])
    expect(fields).toEqual([...COUNTERS, 'bytes_sum', 'speed'].sort())
    const received = (name: string) => lastOf(name, 'bytes_recv')
    expect(received('public')).toBeGreaterThan(received('public.data') + received('public.repl'))
  })

  test.each(['classic', 'range-defect'] as const)('of version 3: %s', async (profile) => {
    const { names, fields, lastOf } = await read(profile)
    expect(names).toEqual(['private', 'public'])
    expect(fields).toEqual([...COUNTERS, 'utilization'].sort())
    expect(lastOf('public', 'utilization')).toBeLessThan(100)
  })
})

describe('profile range-defect', () => {
  const read = async (profile: Profile, rest: string) => {
    const emulator = await startEmulator({ profile, pools: 1, nodes: 2 })
    const rows = await rowsOf(emulator, script('monitoring_main', THROUGHPUT, rest))
    return rows.map((row) => ({
      time: row['_time'] ?? '',
      value: Number(row['_value']),
      field: row['_field'],
    }))
  }

  test('ranges have points before the window, and running totals', async () => {
    const [right, wrong] = [await read('modern', ''), await read('range-defect', '')]
    expect(wrong.length).toBeGreaterThan(right.length)
    const start = new Date((NOW_SECONDS - 1_200) * 1_000).toISOString()
    expect(wrong.some(({ time }) => time < start)).toBe(true)
    expect(wrong.at(-1)?.time).toBe(right.at(-1)?.time)
    expect(wrong.at(-1)?.value).toBeGreaterThan(3 * (right.at(-1)?.value ?? 0))
  })

  test('last() is right', async () => {
    expect(await read('range-defect', '|> last()')).toEqual(await read('modern', '|> last()'))
  })
})

test('profile community: always 503 with code 6503', async () => {
  const emulator = await startEmulator({ profile: 'community' })
  const response = await query(emulator, NET)
  expect(response.status).toBe(503)
  expect(response.json()).toMatchObject({ code: 6503, retryable: true })
  expect((await query(emulator, NET, { token: 'emulator-security' })).status).toBe(500)
})
