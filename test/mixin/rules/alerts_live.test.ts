import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { renderRules } from '../../../mixin/rules/rules.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts'
import { createExporter, type Exporter } from '../../../src/exporter/exporter.ts'
import { silentLog } from '../../../src/log.ts'
import { type Alertmanager, startAlertmanager } from '../../support/alertmanager.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { type Prometheus, startPrometheus } from '../../support/prometheus.ts'
import { waitFor } from '../../support/wait.ts'
import { type ExpectedAlert, LIVE_SCENARIOS, type LiveScenario, waitOf } from './live_scenarios.ts'

/** One hour in the rules takes a minute. Numbers of seconds in expressions are not scaled. */
const SCALE = 1 / 60
const SCRAPE_INTERVAL = '1s'
/** Alerts with a longer `for` are checked as pending, not as firing. */
const LONGEST_FOR_MS = 3_600_000
/** Covers the longest `keep_firing_for` that is checked, two hours. */
const LONGEST_WAIT_MS = 300_000
const TEST_TIMEOUT_MS = 2 * LONGEST_WAIT_MS + 30_000
const START_TIMEOUT_MS = 60_000
/** For the first scrape of Prometheus and some evaluations. */
const SETTLING_MS = 10_000

/** A storage system and its exporter; the name of the scenario is the label `system`. */
interface Setup {
  readonly scenario: LiveScenario
  readonly emulator: Emulator
  readonly exporter: Exporter
  /** Ends the fault of the scenario. */
  heal(): void
}

let folder: Folder
let setups: readonly Setup[]
let prometheus: Prometheus
let alertmanager: Alertmanager
/** Time after which alerts with a `for` of an hour must fire. */
let settledAt: number

async function startSetup(scenario: LiveScenario): Promise<Setup> {
  let behindMs = (scenario.faultsBeganSecondsAgo ?? 0) * 1000
  const { faults = [], ...played } = scenario.emulator
  const startedAt = Date.now()
  const aheadMs = () => (scenario.fastClock ? (1 / SCALE - 1) * (Date.now() - startedAt) : 0)
  const emulator = createEmulator({
    listenAddress: '127.0.0.1:0',
    clock: () => Date.now() - behindMs + aheadMs(),
    faults: scenario.faultsAfterFirstPoll || scenario.faultsAfterFirstQuery ? [] : faults,
    ...played,
  })
  await emulator.start()
  const passwordFile = folder.write(
    `${scenario.name}.password`,
    scenario.auth === 'wrong password' ? 'wrong' : 'emulator',
  )
  // The faults have started in the past; from now on the clock is correct.
  await get(`${emulator.url}/login`)
  behindMs = 0
  const exporter = createExporter({
    load: () =>
      parseConfig(configOf(scenario, emulator.url, passwordFile), { file: 'live.yml', environment: {} }),
    version: 'test',
    listenAddress: '127.0.0.1:0',
    lifecycle: false,
    log: silentLog,
  })
  await exporter.start()
  await waitFor(async () => (await get(`${exporter.url}/-/ready`)).status === 200, {
    what: `${scenario.name} to be tried`,
    timeout: START_TIMEOUT_MS,
  })
  if (scenario.faultsAfterFirstPoll) emulator.setFaults(faults)
  const heal = () => {
    emulator.setFaults([])
    emulator.setScenario('healthy', Number.NEGATIVE_INFINITY)
    folder.write(`${scenario.name}.password`, 'emulator')
  }
  return { scenario, emulator, exporter, heal }
}

/** The alert compares with the time before the failure. */
async function failQueries({ scenario, emulator }: Setup): Promise<void> {
  if (!scenario.faultsAfterFirstQuery) return
  await prometheus.waitForSamples(`sds_system_query_up{system="${scenario.name}"} == 1`)
  emulator.setFaults(scenario.emulator.faults ?? [])
}

function configOf({ name, auth }: LiveScenario, url: string, passwordFile: string): string {
  const login =
    auth === 'token' ? 'token: emulator-monitor' : `username: monitor, password_file: "${passwordFile}"`
  return `
systems:
  - {name: ${name}, base_url: "${url}", auth: {${login}}}
poll: {schedule: "* * * * * *", max_random_delay: 0s, timeout: 20s}
forecast: {schedule: "*/5 * * * * *"}
performance: {schedule: "*/2 * * * * *"}
limits: {requests_per_second: 100}
`
}

beforeAll(async () => {
  folder = temporaryFolder()
  setups = await Promise.all(LIVE_SCENARIOS.map(startSetup))
  const inhibition = parse(readFileSync('deploy/prometheus/alertmanager-inhibition.yml', 'utf8'))
  alertmanager = await startAlertmanager({
    ...inhibition,
    route: { receiver: 'none' },
    receivers: [{ name: 'none' }],
  })
  const ruleFiles = renderRules({ scale: SCALE }).map(({ path, text }) =>
    folder.write(path.split('/').at(-1) ?? '', text),
  )
  prometheus = await startPrometheus({
    config: {
      global: { scrape_interval: SCRAPE_INTERVAL, scrape_timeout: SCRAPE_INTERVAL },
      scrape_configs: [
        {
          job_name: 'sds-exporter',
          static_configs: [{ targets: setups.map(({ exporter }) => new URL(exporter.url).host) }],
        },
      ],
    },
    ruleFiles,
    alertmanagers: [alertmanager.address],
  })
  await Promise.all(setups.map(failQueries))
  settledAt = performance.now() + LONGEST_FOR_MS * SCALE + SETTLING_MS
}, 2 * START_TIMEOUT_MS)

afterAll(async () => {
  await prometheus?.stop()
  await alertmanager?.stop()
  await Promise.all((setups ?? []).map(({ exporter }) => exporter.stop()))
  await Promise.all((setups ?? []).map(({ emulator }) => emulator.stop()))
  folder?.[Symbol.dispose]()
})

type Labels = Readonly<Record<string, string>>

/** E.g. `SdsCapacityHigh critical hot`: alert, severity and subject. */
function nameOf({ alertname, severity, pool, node, category }: Labels): string {
  return [alertname, severity, [pool, node, category].filter((part) => part !== undefined).join('/')]
    .join(' ')
    .trim()
}

function expected(
  { alerts }: LiveScenario,
  chosen: (alert: ExpectedAlert) => boolean = () => true,
): string[] {
  return alerts
    .filter(chosen)
    .flatMap(({ alert, severity, on }) => on.map((what) => `${alert} ${severity} ${what}`.trim()))
    .toSorted()
}

const waitsLong = (alert: string, severity: string) =>
  waitOf({ alert, severity } as Parameters<typeof waitOf>[0]) > LONGEST_FOR_MS

/** Current alerts of a system, without the tolerated ones. */
async function raised({ name, tolerated = [] }: LiveScenario): Promise<string[]> {
  const own = (await prometheus.alerts()).filter(({ labels, state }) => {
    const { system, alertname = '', severity = '' } = labels
    if (system !== name || tolerated.includes(alertname)) return false
    return state === 'firing' || waitsLong(alertname, severity)
  })
  return own.map(({ labels }) => nameOf(labels)).toSorted()
}

describe('with a real Prometheus and Alertmanager', () => {
  test.concurrent.each(LIVE_SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    '%s raises exactly its alerts, which resolve when it ends',
    async (name, scenario) => {
      const setup = setups.find((candidate) => candidate.scenario === scenario)
      let seen: string[] = []
      const unexpected = new Set<string>()
      const expectedAlerts = expected(scenario)
      const detail = () => `raised: ${seen.join(', ')}\nwanted: ${expectedAlerts.join(', ')}`
      await waitFor(
        async () => {
          seen = await raised(scenario)
          for (const alert of seen) if (!expectedAlerts.includes(alert)) unexpected.add(alert)
          // Waits for every rule, because an unexpected alert may fire later than the expected ones.
          return expectedAlerts.every((alert) => seen.includes(alert)) && performance.now() > settledAt
        },
        { what: `the alerts of ${name}`, timeout: LONGEST_WAIT_MS, interval: 500, detail },
      )
      expect([...unexpected]).toEqual([])

      const suppressed = expected(
        scenario,
        ({ inhibited, alert, severity }) => inhibited === true && !waitsLong(alert, severity),
      )
      await waitFor(
        async () => {
          const received = (await alertmanager.alerts()).filter(({ labels }) => labels['system'] === name)
          const kept = received
            .filter(({ status }) => status.state === 'suppressed')
            .map(({ labels }) => nameOf(labels))
          seen = kept.filter((alert) => expectedAlerts.includes(alert)).toSorted()
          return seen.join() === suppressed.join()
        },
        {
          what: `Alertmanager to inhibit ${suppressed.join(', ') || 'nothing'}`,
          interval: 500,
          detail,
        },
      )

      setup?.heal()
      await waitFor(
        async () => {
          seen = await raised(scenario)
          return seen.length === 0
        },
        { what: `the alerts of ${name} to resolve`, timeout: LONGEST_WAIT_MS, interval: 500, detail },
      )
    },
    TEST_TIMEOUT_MS,
  )

  test('no alert about the exporters fires', async () => {
    const alerts = await prometheus.alerts()
    expect(
      alerts.filter(({ labels, state }) => state === 'firing' && labels['system'] === undefined),
    ).toEqual([])
  })
})
