import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { type ExpectedAlert, FAULTS, type Fault, waitOf } from '../../../grafana/mixin/rules/faults.ts'
import { parseConfig } from '../../../src/config/load.ts'
import { createExporter, type Exporter } from '../../../src/exporter/exporter.ts'
import { silentLog } from '../../../src/log.ts'
import { type Folder, temporaryFolder } from '../../support/folders.ts'
import { get } from '../../support/http.ts'
import { type Alertmanager, startAlertmanager } from '../../support/programs/alertmanager.ts'
import { createEmulator, type Emulator } from '../../support/programs/emulator.ts'
import { type Alert, type Prometheus, startPrometheus } from '../../support/programs/prometheus.ts'
import { waitFor, waitForAssertion } from '../../support/wait.ts'
import { scaledRules } from './scaled.ts'

/** One hour in the rules takes a minute. Numbers of seconds in expressions are not scaled. */
const SCALE = 1 / 60
const SCRAPE_INTERVAL = '1s'
/** Alerts with a longer `for` are checked as pending, not as firing. */
const LONGEST_FOR_MS = 3_600_000
/** Covers the longest `keep_firing_for` that is checked, two hours. */
const LONGEST_WAIT_MS = 300_000
const TEST_TIMEOUT_MS = 3 * LONGEST_WAIT_MS + 30_000
const START_TIMEOUT_MS = 240_000
/** For the first scrape of Prometheus and some evaluations. */
const SETTLING_MS = 10_000
/** Within the range in which alerts count refused logins. */
const LOGIN_MS = 10_000

/** A storage system and its exporter; the name of the fault is the label `system`. */
interface Setup {
  readonly fault: Fault
  readonly emulator: Emulator
  readonly exporter: Exporter
  /** Begins a fault that alerts compare with the time before it. */
  begin(): Promise<void>
  /** Ends the fault. */
  heal(): Promise<void>
  stop(): Promise<void>
}

// All faults wait for the same minutes.
vi.setConfig({ maxConcurrency: FAULTS.length })

let folder: Folder
let setups: readonly Setup[]
let prometheus: Prometheus
let alertmanager: Alertmanager
/** Time after which alerts with a `for` of an hour must fire. */
let settledAt: number

async function startSetup(fault: Fault): Promise<Setup> {
  const emulator = await startEmulator(fault)
  const setPassword = (password: string) => folder.write(`${fault.name}.password`, password)
  const passwordFile = setPassword(fault.auth === 'wrong password' ? 'wrong' : 'emulator')
  let isRemoved = false
  let logins: NodeJS.Timeout | undefined
  const exporter = createExporter({
    load: () =>
      parseConfig(configOf(fault, emulator, passwordFile, isRemoved), {
        file: 'live.yml',
        environment: {},
      }),
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
  if (fault.faultsAfterFirstPoll) emulator.setFaults(fault.emulator.faults ?? [])
  async function setRemoved(removed: boolean): Promise<void> {
    isRemoved = removed
    await exporter.reload()
  }
  return {
    fault,
    emulator,
    exporter,
    async begin() {
      // The cooldown after a refused login is not scaled, and ends when the password changes.
      if (fault.auth === 'wrong password')
        logins = setInterval(() => setPassword(`wrong ${Date.now()}`), LOGIN_MS).unref()
      if (fault.faultsAfterFirstQuery) {
        await prometheus.waitForSamples(`sds_system_query_up{system="${fault.name}"} == 1`)
        emulator.setFaults(fault.emulator.faults ?? [])
      }
      if (fault.removed !== undefined) {
        await prometheus.waitForSamples(`count(sds_pool_up{system="${fault.name}"} == 1) == 2`)
        await setRemoved(true)
      }
    },
    async heal() {
      clearInterval(logins)
      emulator.setFaults([])
      emulator.setScenario('healthy', Number.NEGATIVE_INFINITY)
      setPassword('emulator')
      if (fault.removed !== undefined) await setRemoved(false)
    },
    async stop() {
      clearInterval(logins)
      await exporter.stop()
      await emulator.stop()
    },
  }
}

async function startEmulator(fault: Fault): Promise<Emulator> {
  let behindMs = (fault.faultsBeganSecondsAgo ?? 0) * 1000
  const { faults = [], ...played } = fault.emulator
  const startedAt = Date.now()
  const aheadMs = () => (fault.fastClock ? (1 / SCALE - 1) * (Date.now() - startedAt) : 0)
  const emulator = createEmulator({
    listenAddress: '127.0.0.1:0',
    clock: () => Date.now() - behindMs + aheadMs(),
    faults: fault.faultsAfterFirstPoll || fault.faultsAfterFirstQuery ? [] : faults,
    // The lock after ten refused logins is not scaled, and on a slow machine there are as many.
    sessions: { lockOutMs: 0 },
    ...played,
  })
  await emulator.start()
  // The faults have started in the past; from now on the clock is correct.
  await get(`${emulator.url}/login`)
  behindMs = 0
  return emulator
}

/**
 * A configuration needs a system, so one that is removed is polled under another name. Forecasts are requested where an alert
 * needs them: of the pools of all systems they fail on a loaded machine, until they are withdrawn.
 */
function configOf(
  { name, auth, removed, alerts }: Fault,
  { url, pools }: Emulator,
  passwordFile: string,
  isRemoved: boolean,
): string {
  const login =
    auth === 'token' ? 'token: emulator-monitor' : `username: monitor, password_file: "${passwordFile}"`
  const forecasts = alerts.some(({ alert }) => alert.startsWith('SdsForecast')) ? '*/20 * * * * *' : ''
  const shown = isRemoved && removed === 'system' ? `${name}-renamed` : name
  const only = isRemoved && removed === 'pool' ? `, pools: [{id: "${pools[0]?.id}"}]` : ''
  return `
systems:
  - {name: ${shown}, base_url: "${url}", auth: {${login}}${only}}
poll: {schedule: "* * * * * *", max_random_delay: 0s, timeout: 20s}
forecast: {schedule: "${forecasts}"}
performance: {schedule: "*/2 * * * * *"}
discovery: {schedule: "*/5 * * * * *"}
resources:
  system: {schedule: "* * * * * *"}
  replication: {schedule: "*/5 * * * * *"}
limits: {requests_per_second: 100}
`
}

beforeAll(async () => {
  folder = temporaryFolder()
  setups = await Promise.all(FAULTS.map(startSetup))
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
          static_configs: [{ targets: setups.map(({ exporter }) => new URL(exporter.url).host) }],
        },
      ],
    },
    ruleFiles,
    alertmanagers: [alertmanager.address],
  })
  await Promise.all(setups.map((setup) => setup.begin()))
  settledAt = performance.now() + LONGEST_FOR_MS * SCALE + SETTLING_MS
}, 2 * START_TIMEOUT_MS)

afterAll(async () => {
  await prometheus?.stop()
  await alertmanager?.stop()
  await Promise.all((setups ?? []).map((setup) => setup.stop()))
  folder?.[Symbol.dispose]()
})

type Labels = Readonly<Record<string, string>>

/** E.g. `SdsCapacityHigh hot`: alert and subject. */
function nameOf({ alertname, pool, node, category }: Labels): string {
  return [alertname, [pool, node, category].filter((part) => part !== undefined).join('/')].join(' ').trim()
}

function expected({ alerts }: Fault, chosen: (alert: ExpectedAlert) => boolean = () => true): string[] {
  return alerts
    .filter(chosen)
    .flatMap(({ alert, on }) => on.map((what) => `${alert} ${what}`.trim()))
    .toSorted()
}

const waitsLong = (alert: string) => waitOf(alert) > LONGEST_FOR_MS

/** Current alerts of a system, without the tolerated ones. */
async function alertsOf({ name, tolerated = [] }: Fault): Promise<Alert[]> {
  return (await prometheus.alerts()).filter(({ labels, state }) => {
    const { system, alertname = '' } = labels
    if (system !== name || tolerated.some((alert) => alert === alertname)) return false
    return state === 'firing' || waitsLong(alertname)
  })
}

const namesOf = (alerts: readonly Alert[]): string[] => alerts.map(({ labels }) => nameOf(labels)).toSorted()

/**
 * Whether a scrape of the exporter failed since a minute, an hour of the rules, before the alert. On a loaded machine
 * scrapes may take longer than their second, and ten of them in a row are an outage of ten minutes.
 */
async function missedScrapes({ exporter }: Setup, { activeAt }: Alert): Promise<boolean> {
  const seconds = Math.ceil((Date.now() - Date.parse(activeAt)) / 1000) + 60
  const up = `up{instance="${new URL(exporter.url).host}"}[${seconds}s]`
  return (await prometheus.query(`count_over_time(${up}) > sum_over_time(${up})`)).length > 0
}

describe('with a real Prometheus and Alertmanager', () => {
  test.concurrent.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    '%s raises exactly its alerts, which resolve when it ends',
    async (name, fault) => {
      const setup = setups.find((candidate) => candidate.fault === fault)
      if (setup === undefined) throw new Error(`${name} was not set up`)
      let seen: string[] = []
      const unexpected = new Set<string>()
      const expectedAlerts = expected(fault)
      const detail = () => `raised: ${seen.join(', ')}\nwanted: ${expectedAlerts.join(', ')}`
      await waitFor(
        async () => {
          const alerts = await alertsOf(fault)
          seen = namesOf(alerts)
          for (const alert of alerts) {
            const isExpected = expectedAlerts.includes(nameOf(alert.labels))
            if (!isExpected && !(await missedScrapes(setup, alert))) unexpected.add(nameOf(alert.labels))
          }
          // Waits for every rule, because an unexpected alert may fire later than the expected ones.
          return expectedAlerts.every((alert) => seen.includes(alert)) && performance.now() > settledAt
        },
        { what: `the alerts of ${name}`, timeout: LONGEST_WAIT_MS, interval: 1000, detail },
      )
      expect([...unexpected]).toEqual([])

      const suppressed = expected(fault, ({ inhibited, alert }) => inhibited === true && !waitsLong(alert))
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
          // Prometheus repeats a notification that failed, such as to a busy Alertmanager, after a minute.
          timeout: LONGEST_WAIT_MS,
          interval: 1000,
          detail,
        },
      )

      await setup.heal()
      await waitFor(
        async () => {
          seen = namesOf(await alertsOf(fault))
          return seen.length === 0
        },
        { what: `the alerts of ${name} to resolve`, timeout: LONGEST_WAIT_MS, interval: 1000, detail },
      )
    },
    TEST_TIMEOUT_MS,
  )

  test(
    'no alert about the exporters fires',
    async () => {
      // Scrapes that take longer than their second for some time are over some time later.
      const none = async () => {
        const alerts = await prometheus.alerts()
        expect(
          alerts.filter(({ labels, state }) => state === 'firing' && labels['system'] === undefined),
        ).toEqual([])
      }
      await waitForAssertion(none, { timeout: LONGEST_WAIT_MS })
    },
    TEST_TIMEOUT_MS,
  )
})
