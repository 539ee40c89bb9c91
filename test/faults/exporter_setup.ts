import { parseConfig } from '../../src/config/load.ts'
import { createExporter, type Exporter } from '../../src/exporter/exporter.ts'
import { parseExposition, type Sample } from '../metrics/exposition_text.ts'
import { type LogLine, recordingLog } from '../readings/setup.ts'
import { get } from '../support/http.ts'
import { createEmulator, type Emulator } from '../support/programs/emulator.ts'
import { waitFor } from '../support/wait.ts'

/** An upper bound for a few polls, some with timeouts, beside other exporters on a loaded machine. */
const POLLS_WAIT_MS = 240_000

/** The YAML of polls every second, without forecasts and providers. */
export function pollEverySecond(timeout = '30s'): string {
  return `
poll: {schedule: "* * * * * *", max_random_delay: 0s, timeout: ${timeout}, stale_after: 10m}
forecast: {schedule: ""}
providers: {schedule: ""}
limits: {requests_per_second: 1000, max_response_bytes: 2MiB}
`
}

/** Milliseconds since the epoch. */
interface ExporterClock {
  readonly historyClock?: () => number
}

export interface ExporterSetup extends AsyncDisposable {
  readonly exporter: Exporter
  readonly log: readonly LogLine[]
  /** Replaces the YAML that the next reload reads. */
  configure(yaml: string): void
  /** The series of /metrics. @throws unless the status is 200 */
  scrape(): Promise<Sample[]>
  /** The value of the only series with these labels; undefined without one. @throws if there are several */
  value(family: string, labels: Readonly<Record<string, string>>): Promise<number | undefined>
  /** Number of polls of the pool with the result. */
  polls(pool: string, result: string): Promise<number>
  /** Waits for `more` further polls of the pool with the result. */
  waitForPolls(pool: string, result: string, more?: number): Promise<void>
}

/** Starts the exporter in this process on a free port. */
export async function startExporter(yaml: string, options: ExporterClock = {}): Promise<ExporterSetup> {
  let text = yaml
  const log = recordingLog()
  const exporter = createExporter({
    load: () => parseConfig(text, { file: 'test.yml', environment: {} }),
    version: '0',
    listenAddress: '127.0.0.1:0',
    lifecycle: true,
    log,
    ...options,
  })
  await exporter.start()

  async function scrape(): Promise<Sample[]> {
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
        Object.entries(labels).every(([key, expected]) => series.labels[key] === expected),
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

interface EmulatorSetup extends ExporterSetup {
  readonly emulator: Emulator
}

/** Starts an emulator with two pools of three nodes by default, and an exporter; returns after one poll of each pool. */
export async function startWithEmulator(
  options: Parameters<typeof createEmulator>[0] = {},
  rest = pollEverySecond(),
): Promise<EmulatorSetup> {
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', profile: 'classic', nodes: 3, ...options })
  await emulator.start()
  const setup = await startExporter(
    `systems: [{name: a, base_url: "${emulator.url}", auth: {username: monitor, password: emulator}}]${rest}`,
  )
  for (const { id } of emulator.pools) await setup.waitForPolls(id, 'ok')
  return {
    ...setup,
    emulator,
    [Symbol.asyncDispose]: async () => {
      emulator.setFaults([])
      await setup.exporter.stop()
      await emulator.stop()
    },
  }
}
