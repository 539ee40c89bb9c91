import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { silentLog } from '../../src/log.ts'
import { createOwnMetrics } from '../../src/metrics/own.ts'
import { createListener } from '../../src/server/listener/listener.ts'
import { createMetricsApp, OPEN_PATHS } from '../../src/server/metrics/metrics_app.ts'
import { withForecasts } from '../../src/state/changes.ts'
import { createStateStore, type StateStore } from '../../src/state/store.ts'
import { createRecent } from '../../src/status/recent/recent.ts'
import { withPoll, withPools } from '../../test/state/changes.ts'
import { get } from '../../test/support/http.ts'
import { compare, median } from './comparison/figures.ts'
import type { ScrapeJob } from './comparison/scraper.ts'
import type { PoolFixture } from './fleet.ts'

const ROUNDS = 15
/** Enough for the JIT compiler to optimize the code before the median. */
const SCRAPES_PER_ROUND = 100

/** A store with the fleet, behind the listener of the exporter. */
async function serveExporter(fleet: readonly PoolFixture[]) {
  const own = createOwnMetrics({ version: 'bench', nodeVersion: process.version })
  const store = createStateStore(own.series)
  await store.show([{ name: 'bench' }])
  await store.update('bench', (state) =>
    withPools(
      state,
      fleet.map(({ id }) => ({ id, name: undefined })),
    ),
  )
  await pollAll(store, fleet)
  const app = createMetricsApp({
    exposition: store.exposition,
    own,
    ready: () => true,
    reload: undefined,
    status: {
      version: 'bench',
      systems: () => [],
      polling: () => undefined,
      recent: createRecent(),
      now: Date.now,
      alerting: () => undefined,
      adminUrl: () => undefined,
    },
    log: silentLog,
  })
  const listener = createListener({
    address: '127.0.0.1:0',
    handler: app,
    openPaths: OPEN_PATHS,
    log: silentLog,
  })
  await listener.start()
  return { store, listener }
}

/** The work of a round of polls after decoding. */
async function pollAll(store: StateStore, fleet: readonly PoolFixture[]): Promise<void> {
  const attempt = { at: Date.now() / 1000, seconds: 0.1, failure: undefined }
  const updates = fleet.flatMap(({ id, reading }) => [
    store.update('bench', (state) => withPoll(state, id, attempt, reading)),
    store.update('bench', (state) => withForecasts(state, id, reading)),
  ])
  await Promise.all(updates)
}

async function serveConstant(url: string, headers: Record<string, string>): Promise<Server> {
  const { body } = await get(url, headers)
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': body.length })
    response.end(body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** Compares the duration of a scrape with sending the same bytes from a constant Buffer; measures event-loop delay. */
export async function compareScraping(fleet: readonly PoolFixture[]) {
  const worker = new Worker(new URL('./comparison/scraper.ts', import.meta.url))
  const { store, listener } = await serveExporter(fleet)
  const scrapes = async (job: ScrapeJob): Promise<number> => {
    worker.postMessage(job)
    const [durations] = (await once(worker, 'message')) as [number[]]
    return median(durations)
  }
  const url = `${listener.url}/metrics`
  const figures = new Map<string, Awaited<ReturnType<typeof compare>> & { bytes: number }>()
  for (const encoding of ['identity', 'gzip']) {
    const headers = { 'Accept-Encoding': encoding }
    const constant = await serveConstant(url, headers)
    const reference = `http://127.0.0.1:${(constant.address() as AddressInfo).port}/`
    const result = await compare(
      ROUNDS,
      () => scrapes({ url, headers, times: SCRAPES_PER_ROUND }),
      () => scrapes({ url: reference, headers, times: SCRAPES_PER_ROUND }),
    )
    figures.set(encoding, { ...result, bytes: (await get(url, headers)).body.length })
    constant.close()
  }
  const longestDelayMs = await longestDelay(
    () => pollAll(store, fleet),
    () => scrapes({ url, headers: { 'Accept-Encoding': 'gzip' }, times: 5 }),
  )
  await worker.terminate()
  await listener.stop()
  return { figures, longestDelayMs }
}

/** The longest event-loop delay while all pools are polled and scraped, in milliseconds. */
async function longestDelay(poll: () => Promise<void>, scrape: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (let round = 0; round < ROUNDS; round += 1) await Promise.all([poll(), scrape()])
  delay.disable()
  return delay.max / 1e6
}
