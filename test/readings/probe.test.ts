import { afterEach, describe, expect, test, vi } from 'vitest'
import type { SystemClient } from '../../src/api/client.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { FeedReading } from '../../src/api/feed/feed.ts'
import { untilAborted } from '../../src/api/http/waiting.ts'
import { createSystemPoller, type SystemPoller } from '../../src/readings/system_poller.ts'
import { withPools } from '../../src/state/changes.ts'
import { answerOf, bodyOf, decodeBody } from '../api/query/query_files.ts'
import { bodiesOf } from '../api/resources/bodies.ts'
import { sender } from '../api/resources/setup.ts'
import { parseExposition } from '../metrics/exposition_text.ts'
import { neverSchedule } from '../support/schedules.ts'
import { waitFor } from '../support/wait.ts'
import {
  clientOf,
  configOf,
  type FakeClient,
  onlySystem,
  ownMetrics,
  readingOf,
  recordingLog,
  servesVersion,
  shown,
  storeOfA,
} from './setup.ts'

const ONLY_PROBED =
  'poll: {schedule: ""}\nforecast: {schedule: ""}\nproviders: {schedule: ""}\nperformance: {source: feed}'
const NEVER = neverSchedule()
const timeout = () => new ApiError('timeout', 'bad')
const running: SystemPoller[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((poller) => poller.stop()))
})

interface SetUpOptions {
  readonly client: FakeClient
  readonly yaml?: string
  /** Ids of the pools in the configuration; undefined for discovery. */
  readonly pools?: readonly string[]
  readonly isStarted?: boolean
}

/** A poller of system `a`, with functions that probe it and return the samples of some families by a label. */
async function setUp({ client, yaml = ONLY_PROBED, pools, isStarted = true }: SetUpOptions) {
  const list = pools === undefined ? '' : `, pools: [${pools.map((id) => `{id: ${id}}`).join(', ')}]`
  const keys = 'name: a, base_url: "http://127.0.0.1:1", auth: {token: t}, labels: {site: fra}'
  const config = configOf(yaml, `{${keys}${list}}`)
  const store = await storeOfA()
  const log = recordingLog()
  const system = onlySystem(config)
  const poller = createSystemPoller({ system, client: clientOf(client), store, own: ownMetrics(), log })
  running.push(poller)
  if (isStarted) poller.start()
  const probe = async (pool?: string, signal = new AbortController().signal) => {
    const exposition = await poller.probe(pool, signal)
    return exposition && summary(exposition.text('text'))
  }
  return { store, poller, probe, log }
}

/** The values that the tests look at, by pool or node. */
function summary(text: string) {
  const series = parseExposition(text)
  const by = (family: string, label: string) =>
    Object.fromEntries(
      series.filter(({ name }) => name === family).map(({ labels, value }) => [labels[label], value]),
    )
  return {
    success: by('sds_probe_success', 'system')['a'],
    systemUp: by('sds_system_up', 'system')['a'],
    queryUp: by('sds_system_query_up', 'system')['a'],
    up: by('sds_pool_up', 'pool_id'),
    seconds: by('sds_pool_poll_duration_seconds', 'pool_id'),
    free: by('sds_node_disk_space_free_bytes', 'node'),
    memory: by('sds_node_memory_used_bytes', 'node'),
    forecast: by('sds_node_capacity_forecast_seconds', 'node'),
    systems: new Set(series.map(({ labels }) => labels['system'])),
    families: new Set(series.map(({ name }) => name)),
  }
}

/** The exposition has exactly these values of these families. */
function expectExposition(
  exposition: ReturnType<typeof summary> | undefined,
  expected: Partial<ReturnType<typeof summary>>,
): void {
  expect(exposition).toEqual({ ...exposition, ...expected })
}

/** A client whose answers about nodes wait until they are released. */
function gated() {
  const waiting: (() => void)[] = []
  const nodes = vi.fn(async (pool: string, _signal: AbortSignal): Promise<FeedReading> => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return readingOf({ [`node-${pool}`]: nodes.mock.calls.length }, pool)
  })
  return {
    nodes,
    release: () => {
      for (const resolve of waiting.splice(0)) resolve()
    },
    waitForRequests: (count: number) =>
      waitFor(() => nodes.mock.calls.length >= count, { what: `${count} requests` }),
  }
}

describe('a system without a schedule', () => {
  test('has its labels, and no series of other systems and of the exporter', async () => {
    const { probe } = await setUp({ client: { nodes: async () => readingOf({ n1: 1 }) }, pools: ['p'] })
    const exposition = await probe()
    expect([...(exposition?.systems ?? [])]).toEqual(['a'])
    expect(exposition?.families).toContain('sds_system_info')
    const ofExporter = /_total$|^(process|nodejs|sds_exporter|sds_api)_/
    expect([...(exposition?.families ?? [])].filter((name) => ofExporter.test(name))).toEqual([])
  })

  test('is asked for forecasts with the first probe, whose answer has them', async () => {
    const client = {
      nodes: async () => readingOf({ n1: 1 }),
      forecasts: async () => readingOf({ n1: 1 }, 'sp1', '2'),
    }
    const yaml = `poll: {schedule: ""}\nforecast: {schedule: "${NEVER}"}\nproviders: {schedule: ""}\nperformance: {source: feed}`
    const { probe } = await setUp({ client, pools: ['p'], yaml })
    expectExposition(await probe(), { forecast: { n1: 172_800 } })
    client.forecasts = async () => Promise.reject(timeout())
    expectExposition(await probe(), { forecast: { n1: 172_800 } })
  })

  test('that is probed before it is started is polled when it is', async () => {
    const client = { nodes: async () => readingOf({ n1: 1 }) }
    const { probe, poller } = await setUp({ client, pools: ['p'], isStarted: false })
    const probed = probe()
    poller.start()
    expectExposition(await probed, { success: 1, free: { n1: 1 } })
  })
})

describe('probes of one system', () => {
  test('at the same time share one poll of each pool, and the exposition', async () => {
    const { nodes, release, waitForRequests } = gated()
    const { poller } = await setUp({ client: { nodes }, pools: ['p', 'q'] })
    const probe = () => poller.probe(undefined, new AbortController().signal)
    const probes = Array.from({ length: 10 }, probe)
    await waitForRequests(2)
    const late = probe()
    await new Promise(setImmediate)
    release()
    const expositions = await Promise.all([...probes, late])
    const found = summary(expositions[0]?.text('text') ?? '')
    expectExposition(found, { success: 1, free: { 'node-p': 2, 'node-q': 2 } })
    expect(new Set(expositions).size).toBe(1)
    expect(nodes).toHaveBeenCalledTimes(2)
  })

  test('use a poll of the schedule that is under way, and start another one when it has ended', async () => {
    const { nodes, release, waitForRequests } = gated()
    const yaml = ONLY_PROBED.replace('schedule: ""', `schedule: "${NEVER}"`)
    const { probe } = await setUp({ client: { nodes }, pools: ['p'], yaml })
    await waitForRequests(1)
    const first = probe()
    await new Promise(setImmediate)
    release()
    expectExposition(await first, { free: { 'node-p': 1 } })
    const second = probe()
    await waitForRequests(2)
    release()
    expectExposition(await second, { free: { 'node-p': 2 } })
    expect(nodes).toHaveBeenCalledTimes(2)
  })

  test('of different pools that share polls have expositions of their own', async () => {
    const { nodes, release, waitForRequests } = gated()
    const { probe } = await setUp({ client: { nodes }, pools: ['p', 'q'] })
    const probes = [probe('p'), probe('q'), probe()]
    await waitForRequests(2)
    release()
    const [p, q, both] = await Promise.all(probes)
    expectExposition(p, { success: 1, up: { p: 1 }, free: { 'node-p': expect.any(Number) } })
    expectExposition(q, { success: 1, up: { q: 1 }, free: { 'node-q': expect.any(Number) } })
    expectExposition(both, { success: 1, up: { p: 1, q: 1 } })
  })

  test('without pools succeed', async () => {
    const { probe, store } = await setUp({ client: { pools: async () => [] } })
    await store.update('a', (state) => ({ ...state, up: true }))
    expectExposition(await probe(), { success: 1, systemUp: 1, up: {} })
  })

  test('of one pool fail while the pools are unknown', async () => {
    const { probe, store } = await setUp({ client: { pools: async () => Promise.reject(timeout()) } })
    expectExposition(await probe('p'), { success: 0, up: {} })
    expect(store.system('a')?.tried).toBe(true)
  })

  test('of one pool poll that pool only', async () => {
    const nodes = vi.fn(async (pool: string) => readingOf({ [`node-${pool}`]: 1 }, pool))
    const { probe } = await setUp({ client: { nodes }, pools: ['p', 'q'] })
    expectExposition(await probe('q'), { success: 1, up: { q: 1 }, free: { 'node-q': 1 } })
    expect(nodes.mock.calls.map(([pool]) => pool)).toEqual(['q'])
  })
})

describe('a probe during which', () => {
  test('a pool leaves has the other pools', async () => {
    const { nodes, release, waitForRequests } = gated()
    const { probe, store } = await setUp({ client: { nodes }, pools: ['p', 'q'] })
    const probed = probe()
    await waitForRequests(2)
    await store.update('a', (state) => withPools(state, [{ id: 'q', name: undefined }]))
    release()
    expectExposition(await probed, { up: { q: 1 }, free: { 'node-q': expect.any(Number) } })
  })

  test('the system is removed has no answer', async () => {
    const { nodes, release, waitForRequests } = gated()
    const { probe, store } = await setUp({ client: { nodes }, pools: ['p'] })
    const probed = probe()
    await waitForRequests(1)
    await store.show([])
    release()
    expect(await probed).toBeUndefined()
  })

  test('the poller is stopped before it was started ends', async () => {
    const { probe, poller } = await setUp({ client: {}, pools: ['p'], isStarted: false })
    const probed = probe()
    await poller.stop()
    expectExposition(await probed, { success: 0 })
  })
})

describe('a probe that ends before the poll', () => {
  test('has what was read until then, and no older values', async () => {
    const slow = Promise.withResolvers<FeedReading>()
    const nodes = vi.fn((pool: string) =>
      pool === 'slow' && nodes.mock.calls.length > 2
        ? slow.promise
        : Promise.resolve(readingOf({ [`node-${pool}`]: nodes.mock.calls.length }, pool)),
    )
    const { probe, store } = await setUp({ client: { nodes }, pools: ['quick', 'slow'] })
    expectExposition(await probe(), { success: 1, free: { 'node-quick': 1, 'node-slow': 2 } })
    await store.update('a', (state) => ({ ...state, up: true }))
    const over = new AbortController()
    const probed = probe(undefined, over.signal)
    const polled = () => shown(store, 'sds_node_disk_space_free_bytes', 'node')['node-quick'] === 3
    await waitFor(polled, { what: 'the second poll of the quick pool' })
    await new Promise(setImmediate)
    over.abort()
    const exposition = await probed
    expectExposition(exposition, { success: 0, systemUp: 1, up: { quick: 1, slow: 0 } })
    expect(exposition?.seconds['slow']).toBeLessThan(60)
    expect(Object.keys(exposition?.free ?? {})).toEqual(['node-quick'])
    slow.resolve(readingOf({ 'node-slow': 9 }, 'slow'))
    const hasEnded = () => store.system('a')?.pools.get('slow')?.lastAttempt?.failure === undefined
    await waitFor(hasEnded, { what: 'the end' })
  })

  test('and has no answer of the system says that it is down', async () => {
    const nodes = vi.fn(() => new Promise<FeedReading>(() => undefined))
    const { probe, store } = await setUp({ client: { nodes }, pools: ['p'] })
    await store.update('a', (state) => ({ ...state, up: true }))
    running.splice(0)
    const over = new AbortController()
    const probed = probe(undefined, over.signal)
    await waitFor(() => nodes.mock.calls.length === 1, { what: 'the request' })
    over.abort()
    expectExposition(await probed, { success: 0, systemUp: 0, up: { p: 0 } })
  })

  test('because the poller stops, ends with it', async () => {
    const nodes = (_pool: string, signal: AbortSignal) =>
      new Promise<FeedReading>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { probe, poller } = await setUp({ client: { nodes }, pools: ['p'] })
    const probed = probe()
    await new Promise(setImmediate)
    await poller.stop()
    expectExposition(await probed, { success: 0, up: { p: 0 } })
  })
})

describe('a failed poll', () => {
  test('of one pool leaves the others, and shows no older values of its own', async () => {
    let isFailing = false
    const nodes = async (pool: string) => {
      if (pool === 'p' && isFailing) throw timeout()
      return readingOf({ [`node-${pool}`]: 1 }, pool)
    }
    const { probe, store } = await setUp({ client: { nodes }, pools: ['p', 'q'] })
    await probe()
    isFailing = true
    const exposition = await probe()
    expectExposition(exposition, { success: 0, up: { p: 0, q: 1 }, free: { 'node-q': 1 } })
    const pool = store.system('a')?.pools.get('p')
    expect(pool?.reading).toBeDefined()
    expect(exposition?.seconds['p']).toBe(pool?.lastAttempt?.seconds)
  })

  test.each<[string, ApiError, boolean]>([
    ['because the pool is refused leaves', new ApiError('not_found', 'no pool', { status: 404 }), true],
    ['because the system does not answer leaves out', timeout(), false],
  ])('%s the resources of the system', async (_, failure, expected) => {
    let isFailing = false
    const nodes = async () => (isFailing ? Promise.reject(failure) : readingOf({ n1: 1 }))
    const { send } = sender(bodiesOf('classic'))
    const yaml = `${ONLY_PROBED}\nresources: {}`
    const { probe, store } = await setUp({ client: { nodes, resource: send }, pools: ['p'], yaml })
    await probe()
    await waitFor(() => shown(store, 'sds_system_nodes', 'system')['a'], { what: 'the resources' })
    isFailing = true
    const exposition = await probe()
    expectExposition(exposition, { success: 0, up: { p: 0 }, free: {} })
    expect(exposition?.families.has('sds_system_nodes')).toBe(expected)
  })

  test('of the list of pools is visible although no pool is known', async () => {
    const pools = async () => Promise.reject(new ApiError('forbidden', 'no role', { status: 403 }))
    const { probe } = await setUp({ client: { pools } })
    expectExposition(await probe(), { success: 0, systemUp: 0, up: {} })
  })
})

describe('figures of the Flux API', () => {
  /** Those that the answers to some queries have a row of. */
  const NODES: ReadonlyMap<string, string> = new Map([
    ['query_cpu', 'other'],
    ['query_memory', 'n1'],
  ])
  const rowOf = (node: string, value: number) =>
    decodeBody(bodyOf([{ time: '08:33:22', value, field: 'used', measurement: 'mem', node }]))

  /** A system that is queried; `failing` makes the queries fail. */
  async function setUpQueries(performance: string) {
    const state = { polls: 0, isFailing: false, failing: '', isHanging: false }
    const query: SystemClient['query'] = async ({ name }, _dialect, signal) => {
      if (name === 'query_cpu') state.polls += 1
      if (state.isHanging) await untilAborted(new Promise<never>(() => undefined), signal)
      if (state.isFailing || name === state.failing)
        throw new ApiError('server_error', 'bad', { status: 500 })
      const node = NODES.get(name)
      return node === undefined ? answerOf('empty') : rowOf(node, state.polls)
    }
    const client: FakeClient = {
      nodes: async () => readingOf({ n1: 1 }),
      query,
      resource: servesVersion('4.3.0.0'),
    }
    const yaml = `poll: {schedule: ""}\nforecast: {schedule: ""}\nproviders: {schedule: ""}\n${performance}`
    return { state, ...(await setUp({ client, pools: ['p'], yaml })) }
  }

  test('are read with every probe, and are left out when the queries fail', async () => {
    const { state, probe } = await setUpQueries('')
    expectExposition(await probe(), { success: 1, memory: { n1: 1 } })
    expectExposition(await probe(), { success: 1, memory: { n1: 2 } })
    state.isFailing = true
    expectExposition(await probe(), { success: 1, queryUp: 0, memory: {}, free: { n1: 1 } })
    state.isFailing = false
    expectExposition(await probe(), { memory: { n1: state.polls } })
  })

  test('of earlier probes are left out when their query fails, or does not end in time', async () => {
    const { state, probe } = await setUpQueries('')
    expectExposition(await probe(), { success: 1, memory: { n1: 1 } })
    state.failing = 'query_memory'
    expectExposition(await probe(), { success: 1, memory: {} })
    state.failing = ''
    expectExposition(await probe(), { success: 1, memory: { n1: 3 } })
    state.isHanging = true
    const over = new AbortController()
    const probed = probe(undefined, over.signal)
    await waitFor(() => state.polls === 4, { what: 'the first query' })
    over.abort()
    expectExposition(await probed, { success: 1, memory: {}, free: { n1: 1 } })
    // It awaits the queries that are under way, and starts no others.
    const joined = new AbortController()
    const late = probe(undefined, joined.signal)
    await new Promise((resolve) => setTimeout(resolve, 20))
    joined.abort()
    expectExposition(await late, { memory: {} })
    expect(state.polls).toBe(4)
  })

  test('with a schedule of their own are read on that schedule, and kept in between', async () => {
    const { state, probe } = await setUpQueries(`performance: {schedule: "${NEVER}"}`)
    expectExposition(await probe(), { memory: { n1: 1 } })
    expectExposition(await probe(), { memory: { n1: 1 } })
    expect(state.polls).toBe(1)
  })
})
