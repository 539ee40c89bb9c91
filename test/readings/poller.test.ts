import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/config/load.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { createPoller } from '../../src/readings/poller.ts'
import { createStateStore } from '../../src/state/store.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitForAssertion } from '../support/wait.ts'
import { ownMetrics, recordingLog, shown } from './setup.ts'

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

async function startEmulator(
  faults: readonly string[] = [],
  options: Parameters<typeof createEmulator>[0] = {},
): Promise<Emulator> {
  const settings = { listenAddress: '127.0.0.1:0', pools: 1, nodes: 1, faults: [...faults] }
  const emulator = createEmulator({ ...settings, ...options })
  await emulator.start()
  endings.push(emulator.stop)
  return emulator
}

/** A system of the configuration, polled once at the start. */
const systemOf = (emulator: Emulator, changes: object = {}) => ({
  name: 'a',
  base_url: emulator.url,
  auth: { username: 'monitor', password: 'emulator' },
  pools: emulator.pools.map(({ id }) => ({ id })),
  ...changes,
})

function configOf(systems: readonly object[], changes: Record<string, object> = {}) {
  const never = { schedule: neverSchedule() }
  const off = { schedule: '' }
  const others = { forecast: off, providers: off, performance: { source: 'feed' } }
  const text = JSON.stringify({ systems, poll: never, ...others, ...changes })
  return parseConfig(text, { file: 'test', environment: {} })
}

function create({ now = Date.now } = {}) {
  const store = createStateStore()
  const own = ownMetrics()
  const log = recordingLog('debug')
  const requested: string[] = []
  const poller = createPoller({ store, own, log, now, onRequest: (system) => void requested.push(system) })
  endings.push(poller.stop)
  const waitUntilTried = () => waitForAssertion(() => expect(poller.ready()).toBe(true))
  return { store, own, log, poller, requested, waitUntilTried }
}

const free = ({ store }: ReturnType<typeof create>) =>
  Object.keys(shown(store, 'sds_node_disk_space_free_bytes', 'system'))

describe('a system', () => {
  test('is ready after its first poll, and has its status', async () => {
    const emulator = await startEmulator()
    const parts = create()
    const { poller, store, own, requested, waitUntilTried } = parts
    expect(poller.ready()).toBe(false)
    const used = poller.use(configOf([systemOf(emulator)]))
    expect(poller.ready()).toBe(false)
    await used
    expect(poller.ready()).toBe(false)
    await waitUntilTried()
    expect(free(parts)).toEqual(['a'])
    expect(shown(store, 'sds_system_up', 'system')).toEqual({ a: 1 })
    expect(Math.abs(shown(store, 'sds_system_clock_skew_seconds', 'system')['a'] ?? 99)).toBeLessThan(60)
    expect(requested).toContain('a')
    const text = await own.render('text')
    expect(text).toMatch(/^sds_api_requests_total\{.*operation="nodes".*\} 1$/m)
    expect(text).toMatch(/^sds_api_logins_total\{.*result="ok"\} 1$/m)
    const [pool] = emulator.pools
    const logged = parts.log.lines.filter(({ message }) => message === 'request').map(({ fields }) => fields)
    const fields = { system: 'a', operation: 'nodes', pool_id: pool?.id, status: 200 }
    expect(logged).toContainEqual(expect.objectContaining(fields))
    expect(poller.status('a')).toMatchObject({
      system: { name: 'a', forecast: { schedule: '' } },
      client: { session: { state: 'open' } },
      nextPollMs: expect.any(Number),
    })
    expect(poller.status('b')).toBeUndefined()
    expect(await poller.probe('b', undefined, new AbortController().signal)).toBeUndefined()
  })

  test('with TLS has the end of its certificate', async () => {
    const notAfter = new Date(Math.ceil(Date.now() / 86_400_000 + 30) * 86_400_000)
    const tls = await selfSigned({ names: ['127.0.0.1'], notAfter })
    const emulator = await startEmulator([], { tls })
    const { poller, store, waitUntilTried } = create()
    await poller.use(configOf([systemOf(emulator, { tls_config: { insecure_skip_verify: true } })]))
    await waitUntilTried()
    const ends = shown(store, 'sds_system_tls_not_after_timestamp_seconds', 'system')
    expect(ends).toEqual({ a: notAfter.getTime() / 1000 })
  })

  test('that was not tried keeps the exporter from being ready', async () => {
    const [quick, slow] = [await startEmulator(), await startEmulator(['stall@nodes'])]
    const parts = create()
    await parts.poller.use(configOf([systemOf(quick), systemOf(slow, { name: 'b' })]))
    await waitForAssertion(() => expect(parts.store.system('a')?.tried).toBe(true))
    expect(parts.poller.ready()).toBe(false)
  })

  test('that a reload adds leaves the exporter ready', async () => {
    const [quick, slow] = [await startEmulator(), await startEmulator(['stall@nodes'])]
    const { poller, waitUntilTried } = create()
    await poller.use(configOf([systemOf(quick)]))
    await waitUntilTried()
    await poller.use(configOf([systemOf(quick), systemOf(slow, { name: 'b' })]))
    expect(poller.ready()).toBe(true)
  })

  test('that is only probed is ready at once, and has no values on /metrics', async () => {
    const emulator = await startEmulator()
    const parts = create()
    await parts.poller.use(configOf([systemOf(emulator)], { poll: { schedule: '' } }))
    expect(parts.poller.ready()).toBe(true)
    const exposition = await parts.poller.probe('a', undefined, new AbortController().signal)
    expect(exposition?.text('text')).toMatch(/^sds_probe_success\{system="a"\} 1$/m)
    await parts.store.update('a', (state) => ({ ...state }))
    expect(free(parts)).toEqual([])
  })
})

describe('another configuration', () => {
  test('leaves a system that did not change alone', async () => {
    const emulator = await startEmulator()
    const { poller, waitUntilTried } = create()
    await poller.use(configOf([systemOf(emulator)]))
    await waitUntilTried()
    const other = { ...systemOf(emulator), name: 'b', labels: { site: 'par' } }
    await poller.use(configOf([other, systemOf(emulator)]))
    await waitUntilTried()
    await waitForAssertion(() => expect(emulator.log.count('nodes')).toBe(2))
    expect(emulator.log.count('login')).toBe(2)
    expect(emulator.liveSessions('monitor')).toBe(2)
  })

  test('with other limits polls the system anew, and keeps its values', async () => {
    const emulator = await startEmulator()
    const parts = create()
    await parts.poller.use(configOf([systemOf(emulator)]))
    await waitForAssertion(() => expect(free(parts)).toEqual(['a']))
    await parts.poller.use(configOf([systemOf(emulator)], { limits: { concurrency: 3 } }))
    expect(free(parts)).toEqual(['a'])
    await waitForAssertion(async () =>
      expect(await parts.own.render('text')).toMatch(/^sds_api_requests_total\{.*operation="nodes".*\} 2$/m),
    )
    expect(emulator.liveSessions('monitor')).toBe(1)
  })

  const [never, other] = [{ schedule: neverSchedule() }, { schedule: neverSchedule().replace('0', '1') }]
  test.each<[string, Record<string, object>, Record<string, object>]>([
    ['discovery.schedule', {}, { discovery: other }],
    ['performance.schedule', { performance: never }, { performance: other }],
    ['schedule of resources', { resources: { system: never } }, { resources: { system: other } }],
    [
      'poll.schedule, also that of queries,',
      { performance: { schedule: '' } },
      { performance: { schedule: '' }, poll: other },
    ],
  ])('with another %s keeps values and counters', async (_, before, after) => {
    const emulator = await startEmulator()
    const parts = create()
    await parts.poller.use(configOf([systemOf(emulator)], before))
    await waitForAssertion(() => expect(free(parts)).toEqual(['a']))
    emulator.setFaults(['half-open'])
    await parts.poller.use(configOf([systemOf(emulator)], after))
    expect(free(parts)).toEqual(['a'])
    expect(shown(parts.store, 'sds_pool_polls_total', 'result')['ok']).toBe(1)
  })

  test('with another account removes the values of the system', async () => {
    const emulator = await startEmulator()
    const parts = create()
    await parts.poller.use(configOf([systemOf(emulator)]))
    await waitForAssertion(() => expect(free(parts)).toEqual(['a']))
    emulator.setFaults(['stall@nodes'])
    const auth = { username: 'admin', password: 'emulator' }
    await parts.poller.use(configOf([systemOf(emulator, { auth })]))
    expect(free(parts)).toEqual([])
    expect(emulator.liveSessions('monitor')).toBe(0)
  })

  test('without a system removes its series, session and counters', async () => {
    const [emulator, other] = [await startEmulator(), await startEmulator()]
    const parts = create()
    const both = [systemOf(emulator), systemOf(other, { name: 'b' })]
    await parts.poller.use(configOf(both))
    await waitForAssertion(() => expect(free(parts).sort()).toEqual(['a', 'b']))
    await parts.poller.use(configOf(both.slice(1)))
    expect(free(parts)).toEqual(['b'])
    expect(emulator.liveSessions('monitor')).toBe(0)
    const systems = new Set(
      [...(await parts.own.render('text')).matchAll(/system="(\w)"/g)].map(([, name]) => name),
    )
    expect(systems).toEqual(new Set(['b']))
    await parts.poller.stop()
    expect([other.liveSessions('monitor'), parts.poller.ready()]).toEqual([0, false])
    expect(parts.log.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  })

  test('during a probe: the probe is repeated with it', async () => {
    const [slow, quick] = [await startEmulator(['stall@nodes']), await startEmulator()]
    const { poller } = create()
    const only = { poll: { schedule: '' } }
    await poller.use(configOf([systemOf(slow)], only))
    const probed = poller.probe('a', undefined, new AbortController().signal)
    await waitForAssertion(() => expect(slow.log.count('nodes')).toBe(1))
    await poller.use(configOf([systemOf(quick)], only))
    const text = (await probed)?.text('text') ?? ''
    expect(text).toMatch(/^sds_probe_success\{system="a"\} 1$/m)
    expect(quick.log.count('nodes')).toBe(1)
  })
})

test('a system with sections of its own has its own interval, and another schedule leaves the other systems alone and keeps its values', async () => {
  const [slow, other] = [await startEmulator(), await startEmulator()]
  const parts = create()
  const systems = (schedule: string) => [
    systemOf(slow, { poll: { schedule } }),
    systemOf(other, { name: 'b' }),
  ]
  await parts.poller.use(configOf(systems('0 0 * * * *'), { poll: { schedule: '0 */15 * * * *' } }))
  await waitForAssertion(() => expect(free(parts).sort()).toEqual(['a', 'b']))
  const intervals = () => shown(parts.store, 'sds_system_poll_interval_seconds', 'system')
  expect(intervals()).toEqual({ a: 3600, b: 900 })
  await parts.poller.use(configOf(systems('0 0,30 * * * *'), { poll: { schedule: '0 */15 * * * *' } }))
  expect([free(parts).sort(), intervals()]).toEqual([['a', 'b'], { a: 1800, b: 900 }])
  await waitForAssertion(() => expect(slow.log.count('nodes')).toBe(2))
  expect([slow.log.count('login'), other.log.count('nodes'), other.log.count('login')]).toEqual([2, 1, 1])
})

describe('the history of a system', () => {
  const T = 1_772_323_200
  const now = () => (T + 60) * 1000
  const history = { enabled: true, window: '1h', interval: '5m' }
  const textOf = async (parts: ReturnType<typeof create>) => {
    const packed = await parts.poller.history('a')?.packed()
    return packed && gunzipSync(packed.gzip).toString()
  }

  test('is read while it is enabled, and a reload that leaves it as it is keeps it', async () => {
    const emulator = await startEmulator([], { clock: now })
    const parts = create({ now })
    const enabled = configOf([systemOf(emulator)], { history })
    await parts.poller.use(enabled)
    await waitForAssertion(async () => expect(await textOf(parts)).toContain(` ${T}000\n`))
    const document = parts.poller.history('a')
    await parts.poller.use(enabled)
    expect(parts.poller.history('a')).toBe(document)
    expect(parts.poller.history('b')).toBeUndefined()
    await parts.poller.use(configOf([systemOf(emulator)]))
    expect(parts.poller.history('a')).toBeUndefined()
    expect(emulator.log.count('nodes')).toBe(1)
  })

  test('is read anew with another window', async () => {
    const emulator = await startEmulator([], { clock: now })
    const parts = create({ now })
    for (const [window, first] of [
      ['1h', T - 3600 + 600],
      ['2h', T - 7200 + 600],
    ] as const) {
      await parts.poller.use(configOf([systemOf(emulator)], { history: { ...history, window } }))
      await waitForAssertion(async () => expect(await textOf(parts)).toContain(` ${first}000\n`))
    }
  })
})
