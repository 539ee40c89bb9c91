import { expect, test, vi } from 'vitest'
import type { SystemClient } from '../../src/api/client.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { pause } from '../../src/api/http/waiting.ts'
import type { PoolRef } from '../../src/api/resources/pool_list.ts'
import type { SendResource } from '../../src/api/resources/requests.ts'
import { createSystemPoller } from '../../src/readings/system_poller.ts'
import { createStateStore } from '../../src/state/store.ts'
import { parseExposition } from '../metrics/exposition_text.ts'
import { onlyResources } from '../support/schedules.ts'
import { MINUTE, SECOND, useFakeTime } from './running.ts'
import { clientOf, configOf, onlySystem, ownMetrics, readingOf, recordingLog } from './setup.ts'

useFakeTime()

const SYSTEMS = 10
const POOLS = 3
const NODES = 4
/** Age limits of the configuration below: of nodes, and of resources that are read each minute. */
const NODES_KEPT_MS = 5 * MINUTE
const OTHERS_KEPT_MS = 5 * MINUTE

const YAML = `poll: {schedule: "0 * * * * *", max_random_delay: 0s, stale_after: 5m}
performance: {source: feed}
providers: {schedule: ""}
forecast: {schedule: "10 * * * * *", time_frames: [7d]}
discovery: {schedule: "20 * * * * *"}
${onlyResources({ system: '30 * * * * *' })}`

/** Values are unique: they tell when they were served. */
interface Served {
  /** By the labels of a series, in the order of time. */
  readonly values: Map<string, { readonly value: number; readonly atMs: number }[]>
  /** Labels of the series that were compared, by family. */
  readonly compared: Map<string, Set<string>>
  note(key: string, value: number): void
  noteCompared(family: string, series: string): void
}

function createServed(): Served {
  const values: Served['values'] = new Map()
  const compared: Served['compared'] = new Map()
  return {
    values,
    compared,
    noteCompared: (family, series) =>
      void compared.set(family, (compared.get(family) ?? new Set()).add(series)),
    note(key, value) {
      values.set(key, [...(values.get(key) ?? []), { value, atMs: Date.now() }])
    },
  }
}

/** Whether a system fails in this minute: half of the systems, in turn; and how. */
function faultOf(system: number): ApiError | 'hang' | 'empty' | undefined {
  const minute = Math.floor(Date.now() / MINUTE)
  if ((minute + system) % 16 < 8) return undefined
  const faults = [
    new ApiError('timeout', 'no answer'),
    new ApiError('unavailable', 'starting', { status: 503 }),
    new ApiError('auth', 'no session', { status: 401 }),
    new ApiError('schema', 'no list'),
    'hang',
    'empty',
  ] as const
  return faults[(minute + system) % faults.length]
}

/** A system whose pools and nodes come and go, and whose list of pools lacks names in every other release. */
function fakeSystem(index: number, served: Served): SystemClient {
  let count = 0
  const fail = async (signal: AbortSignal): Promise<boolean> => {
    const fault = faultOf(index)
    if (fault instanceof ApiError) throw fault
    if (fault === 'hang') {
      await pause(25 * SECOND, signal)
      throw new ApiError('timeout', 'late')
    }
    return fault === 'empty'
  }
  const idsNow = () => {
    const minute = Math.floor(Date.now() / MINUTE)
    const isGone = (pool: number) => (minute + pool) % 15 === 0
    return Array.from({ length: POOLS }, (_, pool) => pool).filter((pool) => !isGone(pool))
  }
  return clientOf({
    async pools(signal): Promise<readonly PoolRef[]> {
      if (await fail(signal)) return []
      return idsNow().map((pool) => ({ id: `p${pool}`, name: index % 2 === 0 ? `pool${pool}` : undefined }))
    },
    async nodes(pool, signal) {
      if (await fail(signal)) throw new ApiError('not_found', 'no pool', { status: 404 })
      count += 1
      const nodes: Record<string, number> = {}
      for (let node = 0; node < NODES; node += 1) {
        if ((count + node) % 9 === 0) continue
        const value = count * 1000 + node
        nodes[`n${node}`] = value
        served.note(`sds_node_disk_space_free_bytes s${index} pool${pool.slice(1)} n${node}`, value)
      }
      return readingOf(nodes, `pool${pool.slice(1)}`)
    },
    async forecasts(pool, _request, signal) {
      await fail(signal)
      count += 1
      served.note(`sds_node_capacity_forecast_seconds s${index} pool${pool.slice(1)} n0`, count * 86_400)
      return readingOf({ n0: 1 }, `pool${pool.slice(1)}`, String(count))
    },
    resource: (async (request, decode, signal) => {
      if ((await fail(signal)) || request.operation !== 'system')
        throw new ApiError('not_found', 'none', { status: 404 })
      count += 1
      served.note(`sds_system_nodes s${index}`, count)
      return decode({ numNodes: String(count) }, { baseUrl: 'http://a', now: Date.now() / 1000 })
    }) satisfies SendResource as SendResource,
  })
}

/** What is exported and was not served, or is older than its age limit. */
function wrongValues(text: string, served: Served): string[] {
  return parseExposition(text).flatMap(({ name, labels, value }) => {
    const { system, pool, node } = labels
    const series = [system, pool, node].filter((part) => part !== undefined).join(' ')
    const key = `${name} ${series}`
    const known = served.values.get(key)
    if (known === undefined)
      return /^sds_(node_disk|node_capacity_forecast_sec|system_nodes)/.test(name)
        ? [`${key} was never served`]
        : []
    served.noteCompared(name, series)
    const keptMs = name === 'sds_node_disk_space_free_bytes' ? NODES_KEPT_MS : OTHERS_KEPT_MS
    const at = known.findLast((one) => one.value === value)?.atMs
    if (at === undefined) return [`${key} has ${value}, which was not served`]
    const isNewest = known.at(-1)?.value === value
    const ageMs = Date.now() - at
    // A poll that is under way has been served, and is not exported yet.
    if (ageMs > keptMs + MINUTE / 2) return [`${key} is ${ageMs / SECOND} s old`]
    return isNewest || Date.now() - (known.at(-1)?.atMs ?? 0) < MINUTE / 2 ? [] : [`${key} is not the newest`]
  })
}

test('an hour of failures in turn exports what was served, or nothing', { timeout: 300_000 }, async () => {
  const served = createServed()
  const store = createStateStore()
  const names = Array.from({ length: SYSTEMS }, (_, index) => `s${index}`)
  void store.show(names.map((name) => ({ name })))
  await vi.advanceTimersByTimeAsync(1)
  const log = recordingLog()
  const pollers = names.map((name, index) => {
    const system = onlySystem(
      configOf(YAML, `{name: ${name}, base_url: "http://127.0.0.1:1", auth: {token: t}}`),
    )
    return createSystemPoller({ system, client: fakeSystem(index, served), store, own: ownMetrics(), log })
  })
  for (const poller of pollers) poller.start()
  for (let minute = 0; minute < 60; minute += 1) {
    // Compared when it is answered.
    const probed = pollers[minute % SYSTEMS]
      ?.probe(undefined, new AbortController().signal)
      .then((exposition) => wrongValues(exposition?.text('text') ?? '', served))
    await vi.advanceTimersByTimeAsync(MINUTE - 5 * SECOND)
    expect(wrongValues(store.exposition().text('text'), served)).toEqual([])
    await vi.advanceTimersByTimeAsync(5 * SECOND)
    expect(await probed).toEqual([])
  }
  expect(Object.fromEntries([...served.compared].map(([name, { size }]) => [name, size]))).toEqual({
    sds_node_disk_space_free_bytes: SYSTEMS * POOLS * NODES,
    sds_node_capacity_forecast_seconds: SYSTEMS * POOLS,
    sds_system_nodes: SYSTEMS,
  })
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  const stopped = Promise.all(pollers.map((poller) => poller.stop()))
  await vi.advanceTimersByTimeAsync(MINUTE)
  await stopped
})
