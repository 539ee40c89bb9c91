import { expect, test } from 'vitest'
import type { Scenario } from '../../src/emulator/model/scenarios.ts'
import type { Status } from '../../src/status/status.ts'
import { pollEverySecond, startWithEmulator } from '../faults/exporter_setup.ts'
import { get } from '../support/http.ts'
import { waitFor } from '../support/wait.ts'

/** Problems that the emulated system causes, by pool and alert. */
type Problems = readonly (readonly [pool: string, alert: string, severity: string])[]

const SETTINGS = pollEverySecond().replace('forecast: {schedule: ""}', '')

async function statusOf(url: string): Promise<Status> {
  return JSON.parse((await get(`${url}/api/v1/status`)).text)
}

const WAIT = { timeout: 60_000, interval: 100 }

/** The problems with an alert, once everything is read, and they are those that are expected or a minute has passed. */
async function problemsOf(url: string, expected: Problems): Promise<Problems> {
  const found = async () =>
    (await statusOf(url)).problems
      .flatMap(({ pool, alert, severity }): Problems => (alert ? [[pool ?? '', alert, severity]] : []))
      .toSorted()
  await waitFor(
    async () =>
      (await statusOf(url)).systems[0]?.resources.every(({ state }) => state !== 'pending') === true,
    { what: 'all resources', ...WAIT },
  )
  const wanted = JSON.stringify(expected.toSorted())
  await waitFor(async () => JSON.stringify(await found()) === wanted, { what: wanted, ...WAIT }).catch(
    () => {},
  )
  return found()
}

const CASES: readonly (readonly [Scenario, 'classic' | 'modern', Problems])[] = [
  ['healthy', 'modern', []],
  ['maintenance', 'classic', []],
  [
    'error-burst',
    'modern',
    [
      ['archive', 'SdsSystemErrorsCritical', 'critical'],
      ['hot', 'SdsSystemErrorsCritical', 'critical'],
    ],
  ],
  [
    'filling-up',
    'classic',
    [
      ['', 'SdsSystemAlertsCritical', 'critical'],
      ['archive', 'SdsCapacityHigh', 'warning'],
      ['archive', 'SdsForecastCritical', 'critical'],
      ['hot', 'SdsCapacityCritical', 'critical'],
    ],
  ],
  [
    'site-down',
    'classic',
    [
      ['', 'SdsReplicationLinksFailed', 'critical'],
      ['', 'SdsSystemAlertsError', 'warning'],
    ],
  ],
  ['quota-near', 'classic', [['', 'SdsNamespaceQuotaCritical', 'critical']]],
]

test.each(CASES)('%s on a %s system has the problems of its alerts', async (scenario, profile, expected) => {
  await using setup = await startWithEmulator({ scenario, profile, pools: 2, nodes: 5 }, SETTINGS)
  const { url } = setup.exporter
  if (profile === 'modern')
    await waitFor(async () => (await statusOf(url)).systems[0]?.flux_api.state === 'ok', {
      what: 'the figures of the Flux API',
      ...WAIT,
    })
  expect(await problemsOf(url, expected)).toEqual(expected.toSorted())
  const severities = expected.map(([, , severity]) => severity)
  const state = severities.includes('critical') ? 'critical' : severities.length > 0 ? 'warning' : 'ok'
  expect((await statusOf(url)).state).toBe(state)
})
