import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES } from '../../src/metrics/families.ts'
import { RESOURCE_FAMILIES } from '../../src/system_catalogue.ts'
import { get } from '../support/http.ts'
import { type Child, startProcess } from '../support/processes.ts'
import { type Prometheus, startPrometheus } from '../support/programs/prometheus.ts'
import { waitFor, waitForAssertion } from '../support/wait.ts'

/** The demo as a child process, with both of its systems, and a Prometheus server that scrapes it in both formats. */
let demo: Child
let url: string
let textOnly: Server
let prometheus: Prometheus

const POOLS = 2
const NODES = 3
/** One for each source of performance figures. */
const SYSTEMS = ['classic', 'modern']
const ALL_NODES = SYSTEMS.length * POOLS * NODES
const START_TIMEOUT_MS = 60_000

/** Families without series for a healthy system over plain HTTP. */
const WITHOUT_SERIES: Readonly<Record<string, string>> = {
  sds_api_rejected_values_total: 'no value of the demo is rejected',
  sds_system_tls_not_after_timestamp_seconds: 'the demo uses plain HTTP',
  sds_probe_success: 'only /probe has it',
  sds_replication_group_recovery_point_timestamp_seconds: 'nothing waits for replication at one site',
  sds_replication_group_lag_seconds: 'nothing waits for replication at one site',
  sds_namespace_quota_objects: 'no namespace of the demo has one',
  sds_replication_link_failed: 'no link has failed',
  sds_replication_link_bootstrap_ratio: 'no site joins',
  sds_otlp_exports_total: 'OTLP is off by default',
  sds_otlp_last_success_timestamp_seconds: 'OTLP is off by default',
  ...Object.fromEntries(
    RESOURCE_FAMILIES.filter(({ resource }) => ['buckets', 'data_nodes'].includes(resource)).map(
      ({ name }) => [name, 'off by default'],
    ),
  ),
}

async function startDemo(): Promise<void> {
  const flags = [
    '--web.listen-address=127.0.0.1:0',
    '--admin.listen-address=127.0.0.1:0',
    `--pools=${POOLS}`,
    `--nodes=${NODES}`,
    '--log.level=warn',
  ]
  demo = await startProcess(process.execPath, ['src/main.ts', 'demo', ...flags])
  const output = await waitFor(() => /(http:\S+)\/metrics/.exec(demo.stdout()), {
    what: 'the demo to print its URLs',
    timeout: START_TIMEOUT_MS,
    detail: () => demo.stderr(),
  })
  url = output[1] ?? ''
  await waitFor(async () => (await get(`${url}/-/ready`)).status === 200, {
    what: 'the first poll',
    timeout: START_TIMEOUT_MS,
  })
}

/** A proxy for the text format: unlike Prometheus it sends no Accept header with OpenMetrics. */
async function startTextProxy(): Promise<Server> {
  const server = createServer(async (_, response) => {
    const { headers, text } = await get(`${url}/metrics`)
    response.writeHead(200, { 'Content-Type': headers['content-type'] }).end(text)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

async function startScraping(): Promise<void> {
  const job = (name: string, target: string) => ({
    job_name: name,
    scrape_interval: '1s',
    static_configs: [{ targets: [target] }],
  })
  const { port } = textOnly.address() as AddressInfo
  prometheus = await startPrometheus({
    config: { scrape_configs: [job('openmetrics', new URL(url).host), job('text', `127.0.0.1:${port}`)] },
  })
  for (const name of ['openmetrics', 'text']) await prometheus.waitForSamples(`sds_pool_up{job="${name}"}`)
}

beforeAll(async () => {
  await startDemo()
  textOnly = await startTextProxy()
  await startScraping()
}, 2 * START_TIMEOUT_MS)
afterAll(async () => {
  await prometheus?.stop()
  textOnly?.close()
  await demo?.stop()
})

describe('Prometheus scraping the demo', () => {
  test('has healthy targets, and logs no warning', async () => {
    // On a loaded machine, a scrape may take longer than its interval.
    await waitForAssertion(async () => {
      const targets = await prometheus.targets()
      expect(targets).toHaveLength(2)
      for (const target of targets) expect(target).toMatchObject({ health: 'up', lastError: '' })
    })
    expect(prometheus.log()).not.toMatch(/level=(warn|error)/)
  })

  test('has series of every family, with finite values', async () => {
    const families = FAMILIES.filter(({ name }) => !Object.hasOwn(WITHOUT_SERIES, name))
    for (const { name, type } of families) {
      for (const job of ['openmetrics', 'text']) {
        const series = type === 'histogram' ? `${name}_bucket` : name
        const samples = await prometheus.waitForSamples(`${series}{job="${job}"}`)
        expect(samples.filter(({ value }) => !Number.isFinite(value))).toEqual([])
      }
    }
  })

  test('gets the same values in both formats', async () => {
    const free = 'sds_node_disk_space_free_bytes'
    const same = `count(${free}{job="text"} == on (system, node, pool) ${free}{job="openmetrics"}) == ${ALL_NODES}`
    // A poll between the two scrapes changes a value; later scrapes are equal.
    expect(await prometheus.waitForSamples(same)).toHaveLength(1)
  })

  test('has the units and types of OpenMetrics', async () => {
    const answer = await get(`${prometheus.url}/api/v1/metadata?metric=sds_node_disk_space_free_bytes`)
    const { data } = JSON.parse(answer.text) as {
      data: Record<string, { type: string; unit: string; help: string }[]>
    }
    expect(data['sds_node_disk_space_free_bytes']).toContainEqual({
      type: 'gauge',
      unit: 'bytes',
      help: expect.stringContaining('Source: diskSpaceFree (capacity, Bytes).'),
    })
  })
})
