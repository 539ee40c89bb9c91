import { createClient, type SystemClient } from '../../src/api/client.ts'
import { pause } from '../../src/api/http/deadline.ts'
import { createPerformanceReader } from '../../src/api/query/performance_reader.ts'
import { createResourceReader } from '../../src/api/resources/reader.ts'
import type { SystemConfig } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/load.ts'
import { silentLog } from '../../src/log.ts'
import { attemptSince } from '../../src/poller/pool_poller.ts'
import { readPoolFigures } from '../../src/poller/resource_poller.ts'
import { withPerformancePoll, withPoll, withPools } from '../../src/state/changes.ts'
import { withResource } from '../../src/state/resources.ts'
import { createStateStore, type StateStore } from '../../src/state/store.ts'
import { RESOURCE_NAMES } from '../../src/system_catalogue.ts'
import { startEmulated } from './emulator/emulated.ts'
import { count, milliseconds, type Row, ratio } from './table.ts'

const RESOURCE_NODES = 64
const ROUNDS = 20
const WARM_UP = 5
const MICROSECONDS_PER_MS = 1000

/** Milliseconds of CPU time of the thread, the least of several rounds. */
interface ResourceCost {
  readonly pollMs: number
  /** One reading of every resource but the buckets. */
  readonly resourcesMs: number
  readonly requests: number
}

/** Part g: a reading of all resources but the buckets beside a poll of the same system. */
export async function resourceRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const namespaces of [100, 2000])
    for (const profile of ['modern', 'classic'] as const) {
      const { pollMs, resourcesMs, requests } = await measureResources(namespaces, profile)
      rows.push({
        part: 'g',
        what: `reading of all resources with ${count(namespaces)} namespaces, ${profile}, ${count(requests)} requests`,
        own: `${milliseconds(resourcesMs)} CPU`,
        reference: `a poll of ${RESOURCE_NODES} nodes${profile === 'modern' ? ' and of their query interface' : ''}`,
        referenceTakes: `${milliseconds(pollMs)} CPU`,
        ratio: ratio(resourcesMs / pollMs),
        goal: namespaces === 100 ? '1' : '–',
      })
    }
  return rows
}

/**
 * Compares one reading of all resources with one poll of the nodes of the same system. The profile `modern` has the
 * quotas in the list of namespaces; `classic` takes a request for each namespace.
 */
async function measureResources(namespaces: number, profile: 'classic' | 'modern'): Promise<ResourceCost> {
  using emulated = await startEmulated(RESOURCE_NODES, profile, namespaces)
  const auth = 'auth: {username: monitor, password: emulator}'
  const text = `systems: [{name: a, base_url: "${emulated.url}", ${auth}}]
resources: {namespaces: {max: 5000}}
performance: {source: query}`
  const config = parseConfig(text, { file: 'bench.yml', environment: {} })
  const [system] = config.systems
  if (system === undefined) throw new Error('a system is required')
  let requests = 0
  const observer = {
    exchanged: () => {
      requests += 1
    },
  }
  const limits = { ...system.limits, requestsPerSecond: 1e6 }
  const client = createClient({ system, limits, timeoutMs: 60_000, observer, log: silentLog })
  const store = createStateStore(() => undefined)
  await store.show([{ name: 'a' }])
  await store.update('a', (state) => withPools(state, [{ id: emulated.pool, name: undefined }]))
  const { signal } = new AbortController()
  const { maxResponseBytes } = system.limits
  const reader = createResourceReader({
    filters: system.resources,
    send: client.resource,
    query: client.query,
    namespaces: () => undefined,
    pause,
    now: () => performance.now(),
  })

  const pollQueries = createQueryPoll(system, client, store)
  async function poll(): Promise<void> {
    const reading = await client.nodes(emulated.pool, signal)
    const attempt = attemptSince(performance.now())
    await store.update('a', (state) => withPoll(state, emulated.pool, attempt, reading, maxResponseBytes))
    if (profile === 'modern') await pollQueries(signal)
  }
  async function readResources(): Promise<void> {
    for (const name of RESOURCE_NAMES) {
      if (name === 'buckets') continue
      const reading =
        name === 'pools' ? await readPoolFigures(client, signal) : await reader.read(name, signal)
      await store.update('a', (state) => withResource(state, name, reading, 0, maxResponseBytes))
    }
  }
  const pollMs = await leastCpuMs(poll)
  requests = 0
  const resourcesMs = await leastCpuMs(readResources)
  await client.close()
  return { pollMs, resourcesMs, requests: Math.round(requests / (ROUNDS + WARM_UP)) }
}

/** The performance figures of `modern`, which `classic` has in its feed. */
function createQueryPoll(system: SystemConfig, client: SystemClient, store: StateStore) {
  const reader = createPerformanceReader({
    interfaces: system.performance.interfaces,
    query: client.query,
    hasRangeDefect: async () => false,
  })
  return async (signal: AbortSignal): Promise<void> => {
    const { reading } = await reader.read(signal)
    const state = { reading, receivedAtMs: performance.now(), failure: undefined }
    await store.update('a', (before) => withPerformancePoll(before, state))
  }
}

async function leastCpuMs(task: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const before = process.threadCpuUsage()
    await task()
    const { user, system } = process.threadCpuUsage(before)
    if (round >= 0) least = Math.min(least, (user + system) / MICROSECONDS_PER_MS)
  }
  return least
}
