import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { parse } from 'yaml'
import { type ExpectedAlert, FAULTS, type Fault } from '../../../grafana/mixin/rules/faults.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { createExporter, type Exporter } from '../../../src/exporter/exporter.ts'
import { silentLog } from '../../../src/log.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { type Alertmanager, startAlertmanager } from '../../support/programs/alertmanager.ts'
import { createEmulator } from '../../support/programs/emulator.ts'
import { type Alert, type Prometheus, startPrometheus } from '../../support/programs/prometheus.ts'
import { waitFor } from '../../support/wait.ts'
import { scaledRules } from './scaled.ts'

/** One hour in the rules takes a minute. Numbers of seconds in expressions are not scaled. */
const SCALE = 1 / 60
const SCRAPE_INTERVAL = '1s'
/** They depend on times between requests, which are not scaled. */
const NOT_SCALED = ['SdsPollErrorsHigh', 'SdsResourceFailing']
/** One of the system and one of its exporter; faults.integration.test.ts has all, and proves that no others fire. */
const LIVE = FAULTS.filter(({ name }) => name === 'error-burst' || name === 'unreachable')
const LONGEST_WAIT_MS = 300_000
const TEST_TIMEOUT_MS = 3 * LONGEST_WAIT_MS + 30_000
const START_TIMEOUT_MS = 240_000

/** A storage system and its exporter; the name of the fault is the label `system`. */
interface Setup {
  readonly exporter: Exporter
  /** Ends the fault. */
  heal(): void
  stop(): Promise<void>
}

// Both faults wait for the same minutes.
vi.setConfig({ maxConcurrency: LIVE.length })

let folder: Folder
let setups: ReadonlyMap<Fault, Setup>
let prometheus: Prometheus
let alertmanager: Alertmanager

async function startSetup(fault: Fault): Promise<Setup> {
  const { faults = [], ...played } = fault.emulator
  const emulator = createEmulator({ listenAddress: '127.0.0.1:0', ...played })
  await emulator.start()
  const exporter = createExporter({
    load: () => parseConfig(configOf(fault.name, emulator.url), { file: 'live.yml', environment: {} }),
    version: 'test',
    listenAddress: '127.0.0.1:0',
    lifecycle: false,
    log: silentLog,
  })
  await exporter.start()
  await waitFor(async () => (await get(`${exporter.url}/-/ready`)).status === 200, {
    what: `${fault.name} to be tried`,
    timeout: START_TIMEOUT_MS,
  })
  emulator.setFaults(faults)
  return {
    exporter,
    heal() {
      emulator.setFaults([])
      emulator.setScenario('healthy', Number.NEGATIVE_INFINITY)
    },
    async stop() {
      await exporter.stop()
      await emulator.stop()
    },
  }
}

const configOf = (name: string, url: string): string => `
systems:
  - {name: ${name}, base_url: "${url}", auth: {token: emulator-monitor}}
poll: {schedule: "* * * * * *", max_random_delay: 0s, timeout: 20s}
forecast: {schedule: ""}
performance: {schedule: "*/2 * * * * *"}
discovery: {schedule: "*/5 * * * * *"}
resources:
  system: {schedule: "* * * * * *"}
  replication: {schedule: "*/5 * * * * *"}
limits: {requests_per_second: 100}
`

beforeAll(async () => {
  folder = temporaryFolder()
  setups = new Map(await Promise.all(LIVE.map(async (fault) => [fault, await startSetup(fault)] as const)))
  const inhibition = parse(readFileSync('deploy/prometheus/alertmanager-inhibition.yml', 'utf8'))
  alertmanager = await startAlertmanager({
    ...inhibition,
    route: { receiver: 'none' },
    receivers: [{ name: 'none' }],
  })
  const ruleFiles = scaledRules(SCALE).map(({ path, text }) =>
    folder.write(path.split('/').at(-1) ?? '', text),
  )
  prometheus = await startPrometheus({
    config: {
      global: { scrape_interval: SCRAPE_INTERVAL, scrape_timeout: SCRAPE_INTERVAL },
      scrape_configs: [
        {
          job_name: 'sds-exporter',
          static_configs: [
            { targets: [...setups.values()].map(({ exporter }) => new URL(exporter.url).host) },
          ],
        },
      ],
    },
    ruleFiles,
    alertmanagers: [alertmanager.address],
  })
}, 2 * START_TIMEOUT_MS)

afterAll(async () => {
  await prometheus?.stop()
  await alertmanager?.stop()
  await Promise.all([...(setups?.values() ?? [])].map((setup) => setup.stop()))
  folder?.[Symbol.dispose]()
})

type Labels = Readonly<Record<string, string>>

/** E.g. `SdsCapacityHigh hot`: alert and subject. */
function nameOf({ alertname, pool, node, category }: Labels): string {
  return [alertname, [pool, node, category].filter((part) => part !== undefined).join('/')].join(' ').trim()
}

function expected({ alerts }: Fault, chosen: (alert: ExpectedAlert) => boolean = () => true): string[] {
  return alerts
    .filter((alert) => !NOT_SCALED.includes(alert.alert) && chosen(alert))
    .flatMap(({ alert, on }) => on.map((what) => `${alert} ${what}`.trim()))
}

const firingOf = async (name: string): Promise<readonly Alert[]> =>
  (await prometheus.alerts()).filter(({ labels, state }) => labels['system'] === name && state === 'firing')

const namesOf = (alerts: readonly Alert[]): string[] => alerts.map(({ labels }) => nameOf(labels)).toSorted()

describe('with a real Prometheus and Alertmanager', () => {
  test.concurrent.each(LIVE.map((fault) => [fault.name, fault] as const))(
    '%s raises its alerts, which resolve when it ends',
    async (name, fault) => {
      let seen: readonly string[] = []
      const waitForAlerts = (
        what: string,
        alerts: () => Promise<readonly string[]>,
        holds: () => boolean,
      ): Promise<unknown> =>
        waitFor(
          async () => {
            seen = await alerts()
            return holds()
          },
          { what, timeout: LONGEST_WAIT_MS, interval: 1000, detail: () => `raised: ${seen.join(', ')}` },
        )
      const raised = async () => namesOf(await firingOf(name))
      const suppressed = async () =>
        (await alertmanager.alerts())
          .filter(({ labels, status }) => labels['system'] === name && status.state === 'suppressed')
          .map(({ labels }) => nameOf(labels))

      const wanted = expected(fault)
      await waitForAlerts(`the alerts ${wanted.join(', ')}`, raised, () =>
        wanted.every((alert) => seen.includes(alert)),
      )
      const inhibited = expected(fault, (alert) => alert.inhibited === true)
      await waitForAlerts(`Alertmanager to inhibit ${inhibited.join(', ')}`, suppressed, () =>
        inhibited.every((alert) => seen.includes(alert)),
      )
      setups.get(fault)?.heal()
      await waitForAlerts(`the alerts of ${name} to resolve`, raised, () => seen.length === 0)
    },
    TEST_TIMEOUT_MS,
  )
})
