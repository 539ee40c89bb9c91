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

/** An hour passes in thirty seconds for the rules; numbers of seconds in them stay. */
const SCALE = 1 / 120
const SCRAPE_INTERVAL = '500ms'
/** Of rules that wait longer than this only the beginning of the wait is seen: they are pending, not firing. */
const LONGEST_FOR_MS = 3_600_000
/** Two hours are the longest time for which an alert that is over keeps firing. */
const LONGEST_WAIT_MS = 150_000
const TEST_TIMEOUT_MS = 2 * LONGEST_WAIT_MS + 30_000
const START_TIMEOUT_MS = 60_000
/** Prometheus' first scrape comes within five seconds; the rest is for evaluations. */
const SETTLING_MS = 10_000

/** A storage system and its exporter; the name of the scenario is the label `system`. */
interface World {
  readonly scenario: LiveScenario
  readonly emulator: Emulator
  readonly exporter: Exporter
  /** Ends what the scenario is about. */
  heal(): void
}

let folder: Folder
let worlds: readonly World[]
let prometheus: Prometheus
let alertmanager: Alertmanager
/** When the rules that wait for an hour have had their time, and some evaluations more. */
let settledAt: number

async function startWorld(scenario: LiveScenario): Promise<World> {
  let behindMs = (scenario.faultsBeganSecondsAgo ?? 0) * 1000
  const { faults = [], scenario: played } = scenario.emulator
  const emulator = createEmulator({
    listenAddress: '127.0.0.1:0',
    clock: () => Date.now() - behindMs,
    faults: scenario.faultsAfterFirstPoll ? [] : faults,
    ...(played !== undefined && { scenario: played }),
  })
  await emulator.start()
  const passwordFile = folder.write(
    `${scenario.name}.password`,
    scenario.auth === 'wrong password' ? 'wrong' : 'emulator',
  )
  // The faults have seen the past; now the clock is right.
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

function configOf({ name, auth }: LiveScenario, url: string, passwordFile: string): string {
  const login =
    auth === 'token' ? 'token: emulator-monitor' : `username: monitor, password_file: "${passwordFile}"`
  return `
systems:
  - {name: ${name}, base_url: "${url}", auth: {${login}}}
poll: {schedule: "* * * * * *", max_random_delay: 0s, timeout: 20s}
forecast: {schedule: "*/5 * * * * *"}
limits: {requests_per_second: 100}
`
}

beforeAll(async () => {
  folder = temporaryFolder()
  worlds = await Promise.all(LIVE_SCENARIOS.map(startWorld))
  const inhibition = parse(readFileSync('deploy/prometheus/alertmanager-inhibition.yml', 'utf8'))
  alertmanager = await startAlertmanager({
    ...inhibition,
    route: { receiver: 'nobody' },
    receivers: [{ name: 'nobody' }],
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
          static_configs: [{ targets: worlds.map(({ exporter }) => new URL(exporter.url).host) }],
        },
      ],
    },
    ruleFiles,
    alertmanagers: [alertmanager.address],
  })
  settledAt = performance.now() + LONGEST_FOR_MS * SCALE + SETTLING_MS
}, 2 * START_TIMEOUT_MS)

afterAll(async () => {
  await prometheus?.stop()
  await alertmanager?.stop()
  await Promise.all((worlds ?? []).map(({ exporter }) => exporter.stop()))
  await Promise.all((worlds ?? []).map(({ emulator }) => emulator.stop()))
  folder?.[Symbol.dispose]()
})

type Labels = Readonly<Record<string, string>>

/** `SdsCapacityHigh critical hot`: an alert, and what it speaks of. */
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

/** What is raised for a system at this moment, but for what may be for a reason of the test. */
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
    '%s raises exactly its alerts, and they resolve when it ends',
    async (name, scenario) => {
      const world = worlds.find((candidate) => candidate.scenario === scenario)
      let seen: string[] = []
      const unwanted = new Set<string>()
      const wanted = expected(scenario)
      const detail = () => `raised: ${seen.join(', ')}\nwanted: ${wanted.join(', ')}`
      await waitFor(
        async () => {
          seen = await raised(scenario)
          for (const alert of seen) if (!wanted.includes(alert)) unwanted.add(alert)
          // Until every rule had its time: an alert that should not be may wait longer than those that should.
          return wanted.every((alert) => seen.includes(alert)) && performance.now() > settledAt
        },
        { what: `the alerts of ${name}`, timeout: LONGEST_WAIT_MS, interval: 500, detail },
      )
      expect([...unwanted]).toEqual([])

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
          seen = kept.filter((alert) => wanted.includes(alert)).toSorted()
          return seen.join() === suppressed.join()
        },
        {
          what: `Alertmanager to keep back ${suppressed.join(', ') || 'nothing'}`,
          interval: 500,
          detail,
        },
      )

      world?.heal()
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

  test('no alert speaks of the exporters themselves', async () => {
    const alerts = await prometheus.alerts()
    expect(
      alerts.filter(({ labels, state }) => state === 'firing' && labels['system'] === undefined),
    ).toEqual([])
  })
})
