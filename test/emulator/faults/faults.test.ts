import { describe, expect, test } from 'vitest'
import type { Emulator } from '../../support/programs/emulator.ts'
import { call, feedPath, login, NOW_SECONDS, nodesOf, objectsIn, startEmulator } from '../client.ts'
import { LATENCY, query, script, TRANSACTIONS } from '../query/client.ts'

const FEED = 'dataType=current'

const feed = (parameters: string) => (emulator: Emulator) => call(emulator, feedPath(emulator, parameters))
const read = (path: string) => (emulator: Emulator) =>
  call(emulator, path, { headers: { accept: 'application/json' } })
const ask = (flux: string) => (emulator: Emulator) => query(emulator, flux)

const CPU = ask(script('monitoring_op', 'cpu', '|> last()', 'start: -15m'))
const WINDOW = ask(script('monitoring_main', TRANSACTIONS))
const NETWORK = ask(script('monitoring_op', 'net'))
const COMBINED = ask(
  'from(bucket: "monitoring_main") |> range(start: -20m) |> filter(fn: (r) => r.process == "statDataHead") |> last()',
)
const ABSOLUTE = ask(script('monitoring_op', 'cpu', '', 'start: 2026-03-11T12:00:00Z'))
const HISTORY = feed(`dataType=historical&startTime=${NOW_SECONDS - 2 * 86_400}&interval=3600`)

/**
 * Faults that the exporter tolerates, so that its tests do not show that they have an effect: a request of which the
 * answer differs, and one of which it does not.
 */
const EFFECTS: readonly (readonly [string, typeof CPU, typeof CPU?])[] = [
  ['combined-refused', COMBINED, CPU],
  ['combined-empty', COMBINED, CPU],
  ['refused-operation:last', CPU, WINDOW],
  ['absolute-refused', ABSOLUTE, CPU],
  ['measurement-error:cpu', CPU, NETWORK],
  ['query-error', CPU, feed(FEED)],
  ['no-rows', CPU, feed(FEED)],
  ['partial-nodes', CPU, feed(FEED)],
  ['partial-series', CPU],
  ['stale-points:900', WINDOW],
  ['reordered-columns', CPU],
  ['two-series', CPU],
  ['duplicate-rows', CPU],
  ['missing-bound', ask(script('monitoring_main', LATENCY, '|> last()')), CPU],
  ['late-series:public', NETWORK, CPU],
  ['bond-slaves', NETWORK, CPU],
  ['no-link', NETWORK, CPU],
  ['interface-speed:0', NETWORK, CPU],
  ['unready-tables:3', ask(script('monitoring_op', 'dtquery_dt_status')), CPU],
  ['late-points:7200', HISTORY, feed(FEED)],
  ['fixed-history', HISTORY, feed(FEED)],
  ['no-history:diskSpaceTotal', HISTORY, feed(FEED)],
  ['object-list@vdc_nodes', read('/vdc/nodes'), read('/object/namespaces')],
  ['repeated-object@namespaces', read('/object/namespaces'), read('/vdc/nodes')],
  ['bad-numbers@quota', read('/object/namespaces/namespace/media/quota'), read('/object/namespaces')],
  ['license:expiring', read('/license'), read('/vdc/nodes')],
  ['status:403@license', read('/license'), read('/vdc/nodes')],
  ['gzip', feed(FEED)],
  ['deep:20', feed(FEED)],
  ['proto-members', feed(FEED)],
  ['empty-list', feed(FEED), read('/dashboard/zones/localzone/storagepools')],
  ['clock-back', feed(FEED)],
]

const CASES = EFFECTS.map(([fault, changed, same]) => ({ fault, changed, same }))

test.each(CASES)('$fault changes the answers to its requests only', async ({ fault, changed, same }) => {
  const options = { profile: 'modern', pools: 1, namespaces: 30 } as const
  const [faulty, right] = [await startEmulator({ ...options, faults: [fault] }), await startEmulator(options)]
  const answer = async (emulator: Emulator, request: typeof CPU) => {
    const { status, text } = await request(emulator)
    return { status, text }
  }
  expect(await answer(faulty, changed)).not.toEqual(await answer(right, changed))
  if (same !== undefined) expect(await answer(faulty, same)).toEqual(await answer(right, same))
})

const QUOTA = '/object/namespaces/namespace/media/quota'
const FAILED_LINKS = '/dashboard/zones/localzone/rglinksFailed'
test.each([
  ['empty-list@quota', QUOTA],
  ['vanished-node@quota', QUOTA],
  ['duplicate-ids@failed_links', FAILED_LINKS],
  ['missing-ids@failed_links', FAILED_LINKS],
  ['repeated-object@failed_links', FAILED_LINKS],
])('%s changes neither an only object nor an empty list', async (fault, path) => {
  const [faulty, right] = [await startEmulator({ faults: [fault] }), await startEmulator()]
  const { status, text } = await read(path)(faulty)
  expect(status).toBe(200)
  expect(text).toBe((await read(path)(right)).text)
})

test('frozen keeps the times of the samples', async () => {
  let now = NOW_SECONDS * 1000
  const emulator = await startEmulator({ clock: () => now, pools: 1 })
  const times = async () => (await nodesOf(emulator, FEED)).map((node) => Number(node.diskSpaceFreeCurrent.t))
  emulator.setFaults(['frozen'])
  const before = await times()
  now += 3_600_000
  expect(await times()).toEqual(before)
  emulator.setFaults([])
  expect(Math.min(...(await times()))).toBeGreaterThan(Math.max(...before))
})

describe('expire-tokens', () => {
  const whoami = (emulator: Emulator, token: string) => call(emulator, '/user/whoami', { token })

  test('revokes all tokens; a new login creates a valid token', async () => {
    const emulator = await startEmulator()
    const old = (await login(emulator)) ?? ''
    emulator.setFaults(['expire-tokens'])
    expect((await whoami(emulator, old)).status).toBe(401)
    expect((await whoami(emulator, 'emulator-monitor')).status).toBe(401)
    const fresh = (await login(emulator)) ?? ''
    for (let count = 0; count < 3; count++) expect((await whoami(emulator, fresh)).status).toBe(200)
    emulator.setFaults([])
    expect((await whoami(emulator, 'emulator-monitor')).status).toBe(200)
    expect((await whoami(emulator, old)).status).toBe(401)
  })

  test('expire-tokens:2 revokes each token after two requests', async () => {
    const emulator = await startEmulator({ faults: ['expire-tokens:2'] })
    const token = (await login(emulator)) ?? ''
    const statuses = []
    for (let count = 0; count < 4; count++) statuses.push((await whoami(emulator, token)).status)
    expect(statuses).toEqual([200, 200, 401, 401])
    emulator.setFaults(['expire-tokens:1'])
    expect((await whoami(emulator, token)).status).toBe(401)
    expect((await whoami(emulator, (await login(emulator)) ?? '')).status).toBe(200)
  })
})

describe('targets', () => {
  test('an operation', async () => {
    const emulator = await startEmulator({ faults: ['status:503@forecast'] })
    const statusOf = async (query: string) => (await call(emulator, feedPath(emulator, query))).status
    expect(await statusOf('category=capacityForecast')).toBe(503)
    expect(await statusOf('dataType=current')).toBe(200)
    expect(await statusOf('dataType=historical')).toBe(200)
    expect((await call(emulator, '/user/whoami')).status).toBe(200)
  })

  test.each(['name', 'id'] as const)('a pool, by its %s', async (member) => {
    const emulator = await startEmulator()
    emulator.setFaults([`empty@pool=${emulator.pools[1]?.[member]}`])
    expect((await call(emulator, feedPath(emulator, FEED, 0))).text).not.toBe('')
    expect((await call(emulator, feedPath(emulator, FEED, 1))).text).toBe('')
    expect((await call(emulator, '/vdc/nodes')).text).not.toBe('')
  })

  test('first=2', async () => {
    const emulator = await startEmulator({ faults: ['status:500@nodes,first=2'] })
    await call(emulator, '/user/whoami')
    const statuses = []
    for (let count = 0; count < 4; count++)
      statuses.push((await call(emulator, feedPath(emulator, FEED))).status)
    expect(statuses).toEqual([500, 500, 200, 200])
  })

  test('several faults are combined, and removed by setFaults([])', async () => {
    const emulator = await startEmulator({
      faults: ['wrong-content-type', 'vanished-node', 'duplicate-names'],
    })
    const response = await call(emulator, feedPath(emulator, FEED))
    expect(response.headers['content-type']).toBe('text/plain')
    expect(new Set(objectsIn(response.json()).map(({ displayName }) => displayName))).toHaveProperty(
      'size',
      1,
    )
    expect(objectsIn(response.json())).toHaveLength(4)
    emulator.setFaults([])
    expect((await call(emulator, feedPath(emulator, FEED))).text).toContain('"_embedded"')
  })
})
