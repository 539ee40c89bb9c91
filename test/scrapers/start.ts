import { join } from 'node:path'
import { stringify } from 'yaml'
import { SCRAPER_PATHS } from '../../scripts/tools/scrapers.ts'
import { temporaryFolder } from '../support/folders.ts'
import { getJson } from '../support/http.ts'
import { freePort } from '../support/ports.ts'
import { startProcess } from '../support/processes.ts'
import { startPrometheus } from '../support/programs/prometheus.ts'
import { startVictoriaMetrics } from '../support/programs/victoria_metrics.ts'
import type { CheckedScraper } from './checked_scrapers.ts'
import { otlpMetadata, startOtlpReceiver } from './otlp.ts'
import type { Metadata } from './series.ts'

export const JOB = 'sds-exporter'

/** A program that scrapes, and the store of what it scraped. */
export interface RunningScraper extends AsyncDisposable {
  /** Of the store, with the API of Prometheus. */
  readonly queryUrl: string
  metadata(): Promise<Metadata>
  /** Warnings and errors in its log, and in that of the store. */
  problems(): readonly string[]
}

type Start = (row: CheckedScraper, host: string) => Promise<RunningScraper>

/** By program: scrapes the exporter at HOST:PORT every second. */
export const START: Readonly<Record<CheckedScraper['program'], Start>> = {
  'prometheus 2': (row, host) => prometheus(row, host),
  'prometheus 3': (row, host) => prometheus(row, host, SCRAPER_PATHS.prometheus3),
  'victoria-metrics': victoriaMetrics,
  vmagent,
  collector,
}

const scrapeConfigs = ({ job }: CheckedScraper, host: string) => [
  { job_name: JOB, scrape_interval: '1s', ...job, static_configs: [{ targets: [host] }] },
]

const PROBLEM = /\blevel=(warn|error)\b|\t(warn|error|fatal|panic)\t/i

const problemsIn = (...logs: readonly string[]) =>
  logs.flatMap((log) => log.split('\n')).filter((line) => PROBLEM.test(line))

/** Of a store with the API of Prometheus; VictoriaMetrics has no units. */
async function storedMetadata(url: string): Promise<Metadata> {
  const { data } = (await getJson(`${url}/api/v1/metadata`)) as {
    data: Record<string, readonly { readonly type: string; readonly unit?: string }[]>
  }
  return new Map(
    Object.entries(data).map(([name, [{ type = '', unit = '' } = {}]]) => [name, { type, unit }]),
  )
}

async function prometheus(row: CheckedScraper, host: string, program?: string): Promise<RunningScraper> {
  const server = await startPrometheus({
    ...(program !== undefined && { program }),
    features: row.features ?? [],
    config: { scrape_configs: scrapeConfigs(row, host) },
  })
  return {
    queryUrl: server.url,
    metadata: () => storedMetadata(server.url),
    problems: () => problemsIn(server.log()),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

const startStore = (...flags: string[]) => startVictoriaMetrics(flags, SCRAPER_PATHS.victoriaMetrics)

async function victoriaMetrics(row: CheckedScraper, host: string): Promise<RunningScraper> {
  const folder = temporaryFolder()
  const file = folder.write('scrape.yml', stringify({ scrape_configs: scrapeConfigs(row, host) }))
  const store = await startStore(`-promscrape.config=${file}`)
  return {
    queryUrl: store.url,
    metadata: () => storedMetadata(store.url),
    problems: () => problemsIn(store.log()),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

async function vmagent(row: CheckedScraper, host: string): Promise<RunningScraper> {
  const folder = temporaryFolder()
  const file = folder.write('scrape.yml', stringify({ scrape_configs: scrapeConfigs(row, host) }))
  const store = await startStore()
  const agent = await startProcess(SCRAPER_PATHS.vmagent, [
    `-promscrape.config=${file}`,
    `-remoteWrite.url=${store.writeUrl}`,
    `-remoteWrite.tmpDataPath=${join(folder.path, 'queue')}`,
    `-httpListenAddr=127.0.0.1:${await freePort()}`,
  ])
  return {
    queryUrl: store.url,
    metadata: () => storedMetadata(store.url),
    problems: () => problemsIn(agent.stderr(), store.log()),
    async [Symbol.asyncDispose]() {
      await agent.stop()
      await store[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** It sends to a Prometheus with remote write, and as OTLP to the test, which has its types and units. */
async function collector(row: CheckedScraper, host: string): Promise<RunningScraper> {
  const folder = temporaryFolder()
  const receiver = await startOtlpReceiver()
  const store = await startPrometheus({ config: {} })
  const config = {
    receivers: { prometheus: { config: { scrape_configs: scrapeConfigs(row, host) } } },
    exporters: {
      otlp_http: { endpoint: receiver.url, encoding: 'json', compression: 'none' },
      prometheus_remote_write: {
        endpoint: `${store.url}/api/v1/write`,
        tls: { insecure: true },
        ...row.remoteWrite,
      },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: {
        metrics: { receivers: ['prometheus'], exporters: ['otlp_http', 'prometheus_remote_write'] },
      },
    },
  }
  const file = folder.write('collector.yml', stringify(config))
  const program = await startProcess(SCRAPER_PATHS.collector, ['--config', file])
  return {
    queryUrl: store.url,
    metadata: async () => otlpMetadata(receiver.last()),
    problems: () => problemsIn(program.stderr(), store.log()),
    async [Symbol.asyncDispose]() {
      await program.stop()
      await store.stop()
      await receiver[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
