import { describe, expect, test, vi } from 'vitest'
import type { SystemClient } from '../../src/api/client.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { pause } from '../../src/api/http/waiting.ts'
import { POOL_LISTS } from '../../src/api/resources/pool_list.ts'
import type { ResourceRequest, SendResource } from '../../src/api/resources/requests.ts'
import { RESOURCE_NAMES, RESOURCES } from '../../src/system_catalogue.ts'
import { answerOf, bodyOf, decodeBody } from '../api/query/query_files.ts'
import { bodiesOf } from '../api/resources/bodies.ts'
import { keyOf, sender } from '../api/resources/setup.ts'
import { MINUTE, SECOND, setUp, useFakeTime, WITHOUT_PROVIDERS } from './running.ts'
import { readingOf, shown } from './setup.ts'

useFakeTime()

const HOUR = 60 * MINUTE
/** What is read without further configuration. */
const READ = RESOURCE_NAMES.filter((name) => RESOURCES[name].schedule !== '' && name !== 'providers')
const ON = `${WITHOUT_PROVIDERS}}\nforecast: {schedule: ""}\nresources: {}`
const nodes = async () => readingOf({ n1: 1 })
const classic = bodiesOf('classic')

/** The list of one pool, with its values. */
const pools = async () =>
  POOL_LISTS[0].decode(classic['/dashboard/zones/localzone/storagepools?dataType=current'], {
    baseUrl: 'http://a',
    now: 1,
  })

const start = (resource: SendResource, yaml = ON) => setUp({ client: { nodes, pools, resource }, yaml })

describe('the resources of a system', () => {
  test('are read after the first round, and the pools with their list', async () => {
    const { send } = sender(classic)
    const { store } = await start(send)
    await vi.advanceTimersByTimeAsync(SECOND)
    expect(shown(store, 'sds_resource_up', 'resource')).toEqual(
      Object.fromEntries(READ.map((name) => [name, 1])),
    )
    expect(shown(store, 'sds_pool_disk_space_total_bytes', 'pool')).toEqual({ sp1: 1000 })
    expect(shown(store, 'sds_namespace_used_bytes', 'namespace')).toMatchObject({ ns1: 10_000_000 })
  })

  test.each([
    ['fails', new ApiError('timeout', 'no answer'), { up: 0, available: 1 }],
    ['is refused', new ApiError('forbidden', 'no role', { status: 403 }), { up: undefined, available: 0 }],
  ])('that %s changes nothing of the others and of the polls', async (_, failure, expected) => {
    const { send } = sender({ ...classic, '/dashboard/zones/localzone?dataType=current': failure })
    const { store, up } = await start(send)
    await vi.advanceTimersByTimeAsync(SECOND)
    const { system, ...others } = shown(store, 'sds_resource_up', 'resource')
    expect(system).toBe(expected.up)
    expect(shown(store, 'sds_resource_available', 'resource')['system']).toBe(expected.available)
    expect(new Set(Object.values(others))).toEqual(new Set([1]))
    expect(up()).toEqual({ 'urn:storageos:VirtualArray:p1': 1 })
  })

  test('of which one request is refused stay up, which is logged once', async () => {
    const refusal = new ApiError('not_found', 'no such interface', { status: 404 })
    const { send } = sender({
      ...classic,
      '/dashboard/zones/localzone/rglinksFailed?dataType=current': refusal,
    })
    const { store, log } = await start(send)
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(shown(store, 'sds_resource_up', 'resource')).toMatchObject({ replication: 1 })
    expect(log.lines.filter(({ message }) => message.includes('resource'))).toEqual([
      {
        level: 'info',
        message: 'a resource is not available',
        fields: {
          ...{ system: 'a', resource: 'replication', reason: 'not_found', error: 'no such interface' },
          request: 'GET /dashboard/zones/localzone/rglinksFailed',
        },
      },
    ])
  })

  test('keep their values for three intervals without a success', async () => {
    const answers: Record<string, unknown> = { ...classic }
    const { send } = sender(answers)
    const { store } = await start(send)
    await vi.advanceTimersByTimeAsync(SECOND)
    for (const key of Object.keys(answers)) answers[key] = new ApiError('timeout', 'no answer')
    await vi.advanceTimersByTimeAsync(14 * MINUTE)
    expect(shown(store, 'sds_replication_links_failed', 'system')).toEqual({ a: 1 })
    // The default of poll.stale_after is longer than three minutes.
    expect(shown(store, 'sds_system_nodes', 'system')).toEqual({})
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(shown(store, 'sds_replication_links_failed', 'system')).toEqual({})
    expect(shown(store, 'sds_namespace_objects', 'namespace')).toMatchObject({ ns1: 3 })
  })

  test('are in every probe, however rare probes are; what fails is dropped after its age limit', async () => {
    const answers: Record<string, unknown> = { ...classic }
    // Later than the answer of the probe, which does not wait for resources.
    const send: SendResource = async (request, decode, signal) => {
      await pause(SECOND / 2, signal)
      return sender(answers).send(request, decode, signal)
    }
    const { poller } = await start(send, ON.replace('max_random_delay', 'schedule: "", max_random_delay'))
    const hasNodes = async () => {
      const probed = poller.probe(undefined, new AbortController().signal)
      await vi.advanceTimersByTimeAsync(SECOND)
      return (await probed)?.text('text').includes('\nsds_system_nodes{') ?? false
    }
    await hasNodes()
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(await hasNodes()).toBe(true)
    answers['/dashboard/zones/localzone?dataType=current'] = new ApiError('timeout', 'no answer')
    await vi.advanceTimersByTimeAsync(HOUR)
    await hasNodes()
    expect(await hasNodes()).toBe(false)
  })

  test('of a namespace are exported only while its usage is, at once', async () => {
    const usage = (...names: string[]) => ({
      namespace_billing_infos: names.map((namespace) => ({ namespace, total_size: '1' })),
    })
    const quota = { blockSize: 1 }
    let exported = ['ns1', 'ns2']
    const { send } = sender({
      '/object/namespaces': { namespace: ['ns1', 'ns2'].map((name) => ({ name, id: name })) },
      '/object/namespaces/namespace/ns1/quota': quota,
      '/object/namespaces/namespace/ns2/quota': quota,
    })
    const resource: SendResource = async (request, decode, signal) =>
      request.path === '/object/billing/namespace/info'
        ? decode(usage(...exported), { baseUrl: 'http://a', now: 1 })
        : send(request, decode, signal)
    const { store } = await start(resource)
    await vi.advanceTimersByTimeAsync(MINUTE)
    const quotas = () => Object.keys(shown(store, 'sds_namespace_quota_bytes', 'namespace'))
    expect(quotas()).toEqual(['ns1', 'ns2'])
    exported = ['ns2']
    await vi.advanceTimersByTimeAsync(16 * MINUTE)
    expect(quotas()).toEqual(['ns2'])
    exported = ['ns1', 'ns2']
    await vi.advanceTimersByTimeAsync(29 * MINUTE)
    expect(quotas()).toEqual(['ns1', 'ns2'])
  })

  test('of a namespace are read once its usage is, however long that takes', async () => {
    const { send, requests } = sender(classic)
    const resource: SendResource = async (request, decode, signal) => {
      if (request.path === '/object/billing/namespace/info') await pause(3 * MINUTE, signal)
      return send(request, decode, signal)
    }
    await start(resource)
    const quotas = () => requests.filter((path) => path.endsWith('/quota'))
    await vi.advanceTimersByTimeAsync(2.5 * MINUTE)
    expect(quotas()).toEqual([])
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(new Set(quotas()).size).toBe(quotas().length)
    expect(quotas()).not.toEqual([])
  })

  test('that are turned off are not read', async () => {
    const { send, requests } = sender(classic)
    const others = READ.filter((name) => name !== 'replication' && name !== 'pools')
    const off = others.map((name) => `${name}: {schedule: ""}`)
    const yaml = ON.replace('resources: {}', `resources: {${off.join(', ')}}`)
    const { store } = await start(send, yaml)
    await vi.advanceTimersByTimeAsync(2 * HOUR)
    const asked = requests.map((path) => path.split('/')[4]?.split('?')[0])
    expect(new Set(asked)).toEqual(new Set(['replicationgroups', 'rglinksFailed', 'rglinksBootstrap']))
    expect(Object.keys(shown(store, 'sds_resource_up', 'resource'))).toEqual(['pools', 'replication'])
  })

  test('that a reload turns off are forgotten', async () => {
    const { send } = sender(classic)
    const { store, poller } = await start(send)
    await vi.advanceTimersByTimeAsync(SECOND)
    await poller.stop()
    expect(shown(store, 'sds_system_nodes', 'system')).not.toEqual({})
    const yaml = ON.replace('resources: {}', 'resources: {system: {schedule: ""}}')
    await setUp({ client: { nodes, pools, resource: send }, yaml, store })
    await vi.advanceTimersByTimeAsync(SECOND)
    expect(shown(store, 'sds_system_nodes', 'system')).toEqual({})
    expect(Object.keys(shown(store, 'sds_resource_up', 'resource'))).not.toContain('system')
  })

  test('of the Flux API are forgotten when the feed serves performance, as after an upgrade', async () => {
    const lacking = readingOf({ n1: 1 })
    const served = { served: 1, absent: 0, unreadable: 0 }
    let feed = lacking
    const { send } = sender(classic)
    const query = async () => Promise.reject(new ApiError('server_error', 'bad'))
    const yaml = ON.replace('performance: {source: feed}', 'performance: {}')
    const client = { nodes: async () => feed, pools, resource: send, query }
    const { store } = await setUp({ client, yaml })
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(shown(store, 'sds_resource_up', 'resource')).toMatchObject({ system_queries: 0 })
    feed = { ...lacking, coverage: new Map(lacking.coverage).set('nodeCpuUtilization', served) }
    await vi.advanceTimersByTimeAsync(MINUTE)
    for (const family of ['sds_resource_up', 'sds_resource_available'])
      expect(Object.keys(shown(store, family, 'resource'))).not.toContain('system_queries')
  })

  test('of the Flux API stay while the feed has no nodes, which does not tell what it serves', async () => {
    const { send } = sender(classic)
    const tables = [{ time: '08:35:57', value: 1936, field: 'total', measurement: 'dtquery_dt_status' }]
    const query: SystemClient['query'] = async ({ name }) =>
      name === 'query_directoryTables' ? decodeBody(bodyOf(tables)) : answerOf('empty')
    let feed = readingOf({ n1: 1 })
    const { store } = await setUp({
      client: { nodes: async () => feed, pools, resource: send, query },
      yaml: ON.replace('performance: {source: feed}', 'performance: {}'),
    })
    await vi.advanceTimersByTimeAsync(MINUTE)
    feed = readingOf({})
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(shown(store, 'sds_system_directory_tables', 'system')).toEqual({ a: 1936 })
  })

  test('of data ports are those of the nodes of the inventory, which are not requested twice', async () => {
    const { send, requests } = sender(classic)
    const addresses: string[] = []
    const openDataPorts: SystemClient['openDataPorts'] = () => ({
      async read(address, _, decode) {
        addresses.push(address)
        return decode({ PingList: { PingItem: { Name: 'LOAD_FACTOR', Value: '7' } } })
      },
      close: async () => undefined,
    })
    const yaml = ON.replace('resources: {}', 'resources: {data_nodes: {schedule: "20 * * * * *"}}')
    const { store } = await setUp({ client: { nodes, pools, resource: send, openDataPorts }, yaml })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(Object.values(shown(store, 'sds_node_active_connections', 'node'))).toContain(7)
    expect(requests.filter((request) => request === '/vdc/nodes')).toHaveLength(1)
    expect(new Set(addresses).size).toBeGreaterThan(1)
  })

  test('and queries are requested alike by a single reading, whether its poll is answered or not', async () => {
    const yaml = ON.replace('source: feed', 'source: query').replace('max', 'schedule: "", max')
    const requestsWith = async (ofPool: SystemClient['nodes']) => {
      const { send, requests } = sender(classic)
      const resource: SendResource = async (request, decode, signal) => {
        await pause(SECOND, signal)
        return send(request, decode, signal)
      }
      const query: SystemClient['query'] = async ({ name }) => {
        requests.push(name)
        return answerOf('empty')
      }
      const { poller } = await setUp({ client: { nodes: ofPool, pools, resource, query }, yaml })
      const ended = poller.readOnce()
      await vi.advanceTimersByTimeAsync(MINUTE)
      await ended
      return requests.sort()
    }
    const requests = await requestsWith(nodes)
    expect(requests).toEqual(await requestsWith(() => Promise.reject(new ApiError('timeout', 'no answer'))))
    expect(requests).toEqual(expect.arrayContaining(['/license', 'query_cpu']))
  })

  test('have that of the pools failing when their list cannot be read', async () => {
    const { send } = sender(classic)
    const failing = async () => Promise.reject(new ApiError('timeout', 'no answer'))
    const { store } = await setUp({ client: { nodes, pools: failing, resource: send }, yaml: ON })
    await vi.advanceTimersByTimeAsync(SECOND)
    expect(shown(store, 'sds_resource_up', 'resource')['pools']).toBe(0)
  })
})

/** Answers for any number of namespaces. */
function namespacesOf(count: number) {
  const names = Array.from({ length: count }, (_, index) => `ns${index}`)
  return ({ path, query = '', body }: ResourceRequest): unknown => {
    if (path === '/object/namespaces') {
      const start = Number(/marker=(\d+)/.exec(query)?.[1] ?? 0)
      const end = start + 500
      return {
        namespace: names.slice(start, end).map((name) => ({ name })),
        ...(end < count && { NextMarker: String(end) }),
      }
    }
    if (path.endsWith('/quota')) return { blockSize: 1 }
    const { id } = JSON.parse(body ?? '{"id":[]}') as { id: string[] }
    return { namespace_billing_infos: id.map((namespace) => ({ namespace, total_size: 1 })) }
  }
}

describe('requests in an hour', () => {
  const fixed = { system: 60, replication: 12 * 3, inventory: 2 }

  test.each([
    // The list is read for the quotas, too.
    [100, { namespaces: 4 * 2 + 1, quotas: 100 }],
    // Quotas are those of the 500 namespaces that are exported.
    [2000, { namespaces: 4 * 24 + 4, quotas: 500 }],
  ])('with %d namespaces are within the budget', async (count, ofNamespaces) => {
    const answer = namespacesOf(count)
    const counts: Record<string, number> = {}
    const send: SendResource = async (request, decode) => {
      counts[request.operation] = (counts[request.operation] ?? 0) + 1
      const body = classic[keyOf(request)] ?? answer(request)
      const isNamespace = request.operation === 'namespaces' || request.operation === 'quotas'
      return decode(isNamespace ? answer(request) : body, { baseUrl: 'http://a', now: 1 })
    }
    await start(send)
    // The first readings are at the start; those of quotas are spread from the second one on.
    await vi.advanceTimersByTimeAsync(2 * HOUR)
    for (const name of Object.keys(counts)) counts[name] = 0
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(counts).toEqual({ ...fixed, ...ofNamespaces })
    expect(counts['buckets']).toBeUndefined()
  })
})
