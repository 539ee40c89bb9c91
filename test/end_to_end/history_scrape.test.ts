import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { historySeries } from '../../src/history/series.ts'
import { monitored, startClient, startEmulator } from '../api/client_setup.ts'
import { type ExporterSetup, pollEverySecond, startExporter } from '../faults/exporter_setup.ts'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { get, getJson } from '../support/http.ts'
import { type Prometheus, startPrometheus } from '../support/programs/prometheus.ts'
import { waitFor } from '../support/wait.ts'

/**
 * Prometheus scrapes `/metrics` and `/history` with the configuration of docs/history.md, and is stopped for twenty
 * minutes of the emulated clock, which the test moves. `/metrics` has no timestamps, so a server between adds those of
 * the emulated clock.
 */
const TIMEOUT_MS = 300_000
const STEP = 300
/** Samples of /metrics are scraped a minute after each point of the history. */
const LIVE_OFFSET = 60
const STEPS = { before: 1, stopped: 4, after: 1 }

// biome-ignore lint/suspicious/noExplicitAny: a parsed configuration
type Yaml = any

/** The scrape job of the documentation, for these addresses, and scrapes every second. */
function historyJob(exporterUrl: string): Yaml {
  const blocks = [...readText('docs/history.md').matchAll(/```yaml\n([\s\S]+?)```/g)].map(
    ([, text = '']) => text,
  )
  const config = parse(blocks.find((text) => text.includes('replacement: /history')) ?? '')
  const [job] = config.scrape_configs
  const [discovery] = job.http_sd_configs
  const url = discovery.url.replace('http://sds-exporter:9438', exporterUrl)
  // The interval is also the time limit of a request, beyond which Prometheus logs an error.
  return { ...job, scrape_interval: '1s', http_sd_configs: [{ url, refresh_interval: '15s' }] }
}

/** A server for a text that the test sets. */
async function startTextServer(): Promise<{ server: Server; address: string; text: string }> {
  const served = {
    text: '',
    address: '',
    server: createServer((_, response) =>
      response.setHeader('Content-Type', 'text/plain; version=0.0.4').end(served.text),
    ),
  }
  await once(served.server.listen(0, '127.0.0.1'), 'listening')
  served.address = `127.0.0.1:${(served.server.address() as AddressInfo).port}`
  return served
}

type Points = readonly (readonly [time: number, value: number])[]

/** What Prometheus has stored, by series. */
async function storedIn({ url }: Prometheus, from: number, to: number): Promise<Map<string, Points>> {
  const query = `{__name__=~"sds_node_.+",job="sds-exporter",instance="sds-exporter:9438"}[${to - from}s]`
  const parameters = new URLSearchParams({ query, time: String(to) })
  const { data } = (await getJson(`${url}/api/v1/query?${parameters}`)) as {
    data: { result: { metric: Record<string, string>; values: [number, string][] }[] }
  }
  return new Map(
    data.result.map(
      ({ metric: { __name__: name = '', job: _job, instance: _instance, ...labels }, values }) => [
        keyOf(name, labels),
        values.map(([t, value]) => [t, Number(value)] as const),
      ],
    ),
  )
}

function keyOf(family: string, labels: Readonly<Record<string, string>>): string {
  return `${family} ${JSON.stringify(Object.entries(labels).toSorted())}`
}

/** What the system remembers, in the units of the exporter, by series. */
async function rememberedBy(
  system: { url: string; pools: readonly { id: string; name: string }[] },
  from: number,
  to: number,
): Promise<Map<string, Points>> {
  await using setup = startClient(monitored(system.url))
  const signal = new AbortController().signal
  const series = new Map<string, Points>()
  for (const { id, name } of system.pools) {
    const reading = await setup.client.history(id, { start: from, end: to, interval: STEP }, signal)
    for (const { family, labels, times, values } of historySeries(reading, { system: 'a', pool: name }))
      series.set(
        keyOf(family, labels),
        times.map((time, index) => [time, values[index] ?? Number.NaN] as const),
      )
  }
  return series
}

/** The values of nodes on /metrics, with a timestamp. */
async function stampedMetrics({ exporter }: ExporterSetup, ms: number): Promise<string> {
  const { text } = await get(`${exporter.url}/metrics`)
  const lines = text.split('\n').filter((line) => line.startsWith('sds_node_'))
  return lines.map((line) => `${line} ${ms}\n`).join('')
}

/** The emulated system, its exporter, and what Prometheus scrapes of it. */
async function startScene(start: number) {
  const clock = { ms: (start + LIVE_OFFSET) * 1000 }
  const now = () => clock.ms
  const emulator = await startEmulator({ pools: 2, nodes: 2, clock: now })
  const yaml = `systems: [${monitored(emulator.url)}]\nhistory: {enabled: true}${pollEverySecond()}`
  const setup = await startExporter(yaml, { historyClock: now })
  const live = await startTextServer()
  const point = () => Math.floor(clock.ms / 1000 / STEP) * STEP

  /** Waits until both paths have the values of the current time. */
  async function served(): Promise<void> {
    const hasPoint = async () => {
      const { text } = await get(`${setup.exporter.url}/history?system=a`)
      return text.includes(` ${point() * 1000}\n`)
    }
    await waitFor(hasPoint, { what: `the point at ${point()}`, detail: () => JSON.stringify(setup.log) })
    for (const { id } of emulator.pools) await setup.waitForPolls(id, 'ok', 2)
  }

  /**
   * Waits until Prometheus has the values of the current time. `/metrics` is served after those of the history are
   * stored: of two scrapes that create a series at a time, one can be written before the series, and Prometheus warns
   * of it when it reads its log again.
   */
  async function scraped(prometheus: Prometheus): Promise<void> {
    const storedAt = (time: number) =>
      waitFor(async () => (await storedIn(prometheus, time - 1, time)).size > 100, {
        what: `samples at ${time} in Prometheus`,
        detail: prometheus.log,
      })
    await storedAt(point())
    live.text = await stampedMetrics(setup, clock.ms)
    await storedAt(clock.ms / 1000)
  }

  const config = {
    scrape_configs: [
      {
        job_name: 'sds-exporter',
        scrape_interval: '1s',
        static_configs: [{ targets: [live.address], labels: { instance: 'sds-exporter:9438' } }],
      },
      historyJob(setup.exporter.url),
    ],
  }
  return {
    emulator,
    config,
    served,
    scraped,
    /** Seconds since the epoch. */
    now: () => clock.ms / 1000,
    /** Moves the clock by so many points of the history; waits for each until it is served, and scraped. */
    async advance(steps: number, prometheus?: Prometheus) {
      for (let step = 0; step < steps; step += 1) {
        clock.ms += STEP * 1000
        await served()
        if (prometheus !== undefined) await scraped(prometheus)
      }
    },
    async [Symbol.asyncDispose]() {
      live.server.close()
      await setup.exporter.stop()
      await emulator.stop()
    },
  }
}

const stepsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index * STEP)

/** @param lives the times of the samples of /metrics */
function expectNoGap(
  stored: ReadonlyMap<string, Points>,
  remembered: ReadonlyMap<string, Points>,
  lives: readonly number[],
): void {
  expect(remembered.size).toBeGreaterThan(150)
  for (const [series, points] of remembered) {
    const own = stored.get(series) ?? []
    const times = own.map(([t]) => t)
    // No duplicates.
    expect([series, times]).toEqual([series, [...new Set(times)].toSorted((a, b) => a - b)])
    // No gap, and the values of the system.
    expect([series, own.filter(([t]) => t % STEP === 0)]).toEqual([series, points])
    // Nothing else but what was scraped from /metrics.
    expect(lives).toEqual(expect.arrayContaining(times.filter((t) => t % STEP !== 0)))
  }
  const [total = ''] = [...remembered.keys()].filter((series) =>
    series.startsWith('sds_node_disk_space_total'),
  )
  expect((stored.get(total) ?? []).map(([t]) => t).filter((t) => t % STEP !== 0)).toEqual(lives)
}

test(
  'the history closes the gap of a Prometheus that was stopped for twenty minutes, without duplicates',
  async () => {
    using folder = temporaryFolder()
    const start = Math.floor(Date.now() / 1000 / STEP) * STEP - 2 * 3600
    await using scene = await startScene(start)
    const dataFolder = join(folder.path, 'data')
    // The emulated clock is up to two hours behind that of Prometheus.
    const begin = () => startPrometheus({ config: scene.config, outOfOrderWindow: '6h', dataFolder })
    await scene.served()
    const first = scene.now()
    {
      await using prometheus = await begin()
      await scene.scraped(prometheus)
      await scene.advance(STEPS.before, prometheus)
      expect(prometheus.log()).not.toMatch(/level=(warn|error)/)
    }
    await scene.advance(STEPS.stopped)
    const again = scene.now()
    await using prometheus = await begin()
    await scene.scraped(prometheus)
    await scene.advance(STEPS.after, prometheus)
    expect(prometheus.log()).not.toMatch(/level=(warn|error)/)

    const end = scene.now()
    // The first reading has the points of an hour, less two intervals.
    const oldest = start - 3600 + 2 * STEP
    const remembered = await rememberedBy(scene.emulator, oldest, end)
    const lives = [...stepsFrom(first, 1 + STEPS.before), ...stepsFrom(again, 1 + STEPS.after)]
    expectNoGap(await storedIn(prometheus, oldest - 1, end), remembered, lives)
  },
  TIMEOUT_MS,
)
