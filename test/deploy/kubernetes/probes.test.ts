import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type ExporterSetup, startExporter } from '../../faults/exporter_setup.ts'
import { readText } from '../../repository/repository.ts'
import { createEmulator, type Emulator } from '../../support/programs/emulator.ts'
import { type Prometheus, startPrometheus } from '../../support/programs/prometheus.ts'
import { startVictoriaMetrics, type VictoriaMetrics } from '../../support/programs/victoria_metrics.ts'
import { OVERLAY, prometheusConfig, startService } from './probes_setup.ts'

const SHARDS = [0, 1]
const REPLICAS = [0, 1]
const EXPORTERS = 3
const POOLS = 1
const NODES = 2
/** The clock of the systems is faster, so that the Flux API has new points every five seconds. */
const SPEED = 60
/** By the hash of Prometheus, some of them belong to each of two servers. */
const NAMES = ['frankfurt', 'paris', 'vienna', 'madrid', 'oslo', 'rome']

/** The expression of SdsShardMissing. */
const SHARD_MISSING: string = parse(readText(`${OVERLAY}/store-rules.yml`)).groups[0].rules[0].expr

let emulators: readonly Emulator[]
let exporters: readonly ExporterSetup[]
let service: Awaited<ReturnType<typeof startService>>
let store: VictoriaMetrics
/** By shard and replica. */
let servers: readonly (readonly Prometheus[])[]

beforeAll(async () => {
  const began = Date.now()
  const clock = () => began + (Date.now() - began) * SPEED
  const options = {
    listenAddress: '127.0.0.1:0',
    profile: 'modern',
    pools: POOLS,
    nodes: NODES,
    clock,
  } as const
  emulators = NAMES.map((seed) => createEmulator({ ...options, seed }))
  await Promise.all(emulators.map((emulator) => emulator.start()))
  const systems = NAMES.map((name, index) => ({
    name,
    base_url: emulators[index]?.url,
    auth: { username: 'monitor', password: 'emulator' },
    labels: { site: name.slice(0, 3) },
  }))
  // YAML includes JSON. The section `poll` is that of the overlay.
  const { poll } = parse(readText(`${OVERLAY}/sds-exporter.yml`))
  const config = JSON.stringify({ systems, poll, limits: { requests_per_second: 1000 } })
  exporters = await Promise.all(Array.from({ length: EXPORTERS }, () => startExporter(config)))
  const addresses = exporters.map(({ exporter }) => new URL(exporter.url).host)
  service = await startService('127.0.0.1:0', addresses)
  store = await startVictoriaMetrics([
    '-dedup.minScrapeInterval=2s',
    // Otherwise instant queries take a series for current for five minutes.
    '-search.maxStalenessInterval=15s',
  ])
  const places = { service: service.address, exporters: addresses, writeUrl: store.writeUrl }
  const ruleFiles = ['deploy/prometheus/rules/sds-alerts.yml', 'deploy/prometheus/rules/sds-recording.yml']
  const start = (shard: number, replica: number) => {
    const config = prometheusConfig(shard, places, `prometheus-${shard}-${replica}`)
    return startPrometheus({ config, ruleFiles })
  }
  servers = await Promise.all(
    SHARDS.map((shard) => Promise.all(REPLICAS.map((replica) => start(shard, replica)))),
  )
})
afterAll(async () => {
  await Promise.all(servers.flat().map((server) => server.stop()))
  service?.stop()
  await Promise.all(exporters.map(({ exporter }) => exporter.stop()))
  await Promise.all(emulators.map((emulator) => emulator.stop()))
  await store?.[Symbol.asyncDispose]()
})

describe('three exporters, two shards of two Prometheus servers, and one store', () => {
  test('have every system in the store, with the labels of the configuration', async () => {
    const nodes = await store.waitForSamples(
      `count(count by (system) (sds_node_info) == ${POOLS * NODES}) == ${NAMES.length}`,
    )
    expect(nodes).toHaveLength(1)
    const up = await store.waitForSamples(`count(up{job="sds-systems"} == 1) == ${NAMES.length}`)
    expect(up).toHaveLength(1)
    for (const { metric } of await store.query('sds_node_info'))
      expect([metric['instance'], metric['site']]).toEqual([metric['system'], metric['system']?.slice(0, 3)])
  })

  test('probe each system from both servers of one shard', async () => {
    const systemsOf = async (server: Prometheus) => {
      const own = (await server.targets()).filter(({ labels }) => labels['job'] === 'sds-systems')
      return own.map(({ labels }) => labels['instance']).sort()
    }
    const systems = await Promise.all(servers.map((shard) => Promise.all(shard.map(systemsOf))))
    for (const [one, other] of systems) {
      expect(one?.length).toBeGreaterThan(0)
      expect(other).toEqual(one)
    }
    expect(systems.flatMap(([one = []]) => one).sort()).toEqual([...NAMES].sort())
  })

  test('have each series once in the store, which drops the label of the replica', async () => {
    expect(await store.query('{replica!=""}')).toEqual([])
    const once = 'count by (system) (sds_probe_success) == 1'
    expect(await store.waitForSamples(`count(${once}) == ${NAMES.length}`)).toHaveLength(1)
  })

  test('share the work', async () => {
    const working = 'sum by (instance) (sds_api_requests_total{operation="nodes"}) > 0'
    expect(await store.waitForSamples(`count(${working}) == ${EXPORTERS}`)).toHaveLength(1)
  })

  test('have performance metrics, and no counter that goes back when another exporter answers', async () => {
    await store.waitForSamples(`count(count by (system) (sds_node_cpu_utilization_ratio)) == ${NAMES.length}`)
    await store.waitForSamples('min(count_over_time(sds_probe_success[10m])) >= 8')
    const counter = 'sds_node_transaction_latency_seconds_bucket'
    expect((await store.query(`count(${counter})`))[0]?.value).toBeGreaterThan(0)
    // The store rounds values, so that equal ones may differ.
    for (const server of servers.flat()) expect(await server.query(`resets(${counter}[10m]) > 0`)).toEqual([])
  })

  test('log no warning about samples', () => {
    // On a loaded machine, /sd may be later than its interval; the targets stay.
    const isProblem = (line: string) => /level=(warn|error)/.test(line) && !line.includes('discovery manager')
    for (const server of servers.flat()) expect(server.log().split('\n').filter(isProblem)).toEqual([])
  })

  /** Waits for a sample of every system that is later than now. */
  async function allSystemsGoOn(): Promise<void> {
    const now = Date.now() / 1000
    const fresh = `count(timestamp(sds_probe_success) > ${now + 1} and sds_probe_success == 1) == ${NAMES.length}`
    expect(await store.waitForSamples(fresh)).toHaveLength(1)
  }

  test('go on when an exporter stops', async () => {
    await exporters[0]?.exporter.stop()
    await allSystemsGoOn()
  })

  test('record and alert in each server, for its systems', async () => {
    const recorded = 'count(system_pool:sds_node_disk_space_total_bytes:sum) > 0'
    // At the same time, because the rules are evaluated once a minute.
    const found = await Promise.all(servers.flat().map((server) => server.waitForSamples(recorded)))
    for (const samples of found) expect(samples).toHaveLength(1)
  })

  test('go on when one server of each shard stops', async () => {
    await Promise.all(servers.map(([first]) => first?.stop()))
    await allSystemsGoOn()
    expect(await store.query(SHARD_MISSING)).toEqual([])
  })

  test('raise the alert of the rules of the store when both servers of a shard have stopped', async () => {
    await servers[0]?.[1]?.stop()
    const missing = await store.waitForSamples(SHARD_MISSING)
    expect(missing.map(({ metric }) => metric)).toEqual([{ shard: '0' }])
  })
})
