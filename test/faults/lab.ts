import { parseConfig } from '../../src/config/load.ts'
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts'
import { createExporter, type Exporter } from '../../src/exporter/exporter.ts'
import { parseExposition, type Series } from '../metrics/exposition_text.ts'
import { type LogLine, recordingLog } from '../poller/setup.ts'
import { get } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'

/** An upper bound for a few polls, some of which time out, beside other labs on a loaded machine. */
const POLLS_WAIT_MS = 240_000

/** Polls every second; no forecasts, no providers. */
export function quickly(timeout = '30s'): string {
  return `
poll: {schedule: "* * * * * *", max_random_delay: 0s, timeout: ${timeout}, stale_after: 60s}
forecast: {schedule: ""}
providers: {schedule: ""}
limits: {requests_per_second: 1000, max_response_bytes: 2MiB}
`
}

/**
 * `poll.timeout` for a test that expects polls to fail with the reason. A timeout must pass in the test, and still be
 * longer than a good poll takes on a loaded machine; otherwise only a test that fails reaches it.
 */
export function pollTimeoutFor(reason: string): string {
  return reason === 'timeout' ? '5s' : '30s'
}

export interface Lab extends AsyncDisposable {
  readonly exporter: Exporter
  readonly log: readonly LogLine[]
  /** The configuration that the next reload will find. */
  configure(yaml: string): void
  /** Scrapes; the answer must be 200, whatever else goes on. */
  scrape(): Promise<Series[]>
  /** The one value of a family with these labels; undefined where there is none. */
  value(family: string, labels: Readonly<Record<string, string>>): Promise<number | undefined>
  /** How often a poll of the pool had the result. */
  polls(pool: string, result: string): Promise<number>
  /** Waits for further polls of a pool with the result. */
  waitForPolls(pool: string, result: string, more?: number): Promise<void>
}

/** The exporter as it is served, in this process, on a free port. */
export async function startLab(yaml: string): Promise<Lab> {
  let text = yaml
  const log = recordingLog()
  const exporter = createExporter({
    load: () => parseConfig(text, { file: 'lab.yml', environment: {} }),
    version: '0',
    listenAddress: '127.0.0.1:0',
    lifecycle: true,
    log,
  })
  await exporter.start()

  async function scrape(): Promise<Series[]> {
    const answer = await get(`${exporter.url}/metrics`)
    if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`)
    return parseExposition(answer.text)
  }

  async function value(
    family: string,
    labels: Readonly<Record<string, string>>,
  ): Promise<number | undefined> {
    const found = (await scrape()).filter(
      (series) =>
        series.name === family &&
        Object.entries(labels).every(([key, wanted]) => series.labels[key] === wanted),
    )
    if (found.length > 1) throw new Error(`${found.length} series of ${family}`)
    return found[0]?.value
  }

  const polls = async (pool: string, result: string) =>
    (await value('sds_pool_polls_total', { pool_id: pool, result })) ?? 0

  return {
    exporter,
    log: log.lines,
    configure(next) {
      text = next
    },
    scrape,
    value,
    polls,
    async waitForPolls(pool, result, more = 1) {
      const before = await polls(pool, result)
      await waitFor(async () => (await polls(pool, result)) >= before + more, {
        what: `${more} polls of ${pool} with the result ${result}`,
        timeout: POLLS_WAIT_MS,
        interval: 100,
        detail: () => JSON.stringify(log.lines, undefined, 1),
      })
    },
    [Symbol.asyncDispose]: exporter.stop,
  }
}

export interface EmulatedLab extends Lab {
  readonly emulator: Emulator
  /** The pool that the faults of the test are for, and the one that they must not touch. */
  readonly sick: Emulator['pools'][number]
  readonly well: Emulator['pools'][number]
}

/** The exporter and one emulator with two pools of three nodes, after both were polled once. */
export async function startEmulatedLab(
  options: Parameters<typeof createEmulator>[0] = {},
  rest = quickly(),
): Promise<EmulatedLab> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', nodes: 3, ...options })
  await emulator.start()
  const lab = await startLab(
    `systems: [{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}]${rest}`,
  )
  const [sick, well] = emulator.pools
  if (sick === undefined || well === undefined) throw new Error('two pools are wanted')
  for (const { id } of [sick, well]) await lab.waitForPolls(id, 'ok')
  return {
    ...lab,
    emulator,
    sick,
    well,
    [Symbol.asyncDispose]: async () => {
      emulator.setFaults([])
      await lab.exporter.stop()
      await emulator.stop()
    },
  }
}

/** The log lines about failing polls of a pool, as `level message reason`. */
export function pollLines(log: readonly LogLine[], pool: string): string[] {
  return log
    .filter(({ message, fields }) => message.startsWith('poll') && fields['pool'] === pool)
    .map(({ level, message, fields }) => `${level} ${message} ${fields['reason'] ?? ''}`.trim())
}

/** The nodes of a pool by name that a family shows, with their values. */
export function nodesOf(series: readonly Series[], pool: string, family: string): Record<string, number> {
  const inPool = series.filter(({ name, labels }) => name === 'sds_node_info' && labels['pool_id'] === pool)
  const label = inPool[0]?.labels['pool']
  return Object.fromEntries(
    series
      .filter(({ name, labels }) => name === family && labels['pool'] === label)
      .map(({ labels, value }) => [labels['node'] ?? '', value]),
  )
}
