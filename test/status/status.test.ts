import { describe, expect, test } from 'vitest'
import { type AlertingConfig, DEFAULT_ALERTING } from '../../src/alerting/config.ts'
import { readRules } from '../../src/alerting/package_files.ts'
import { alertsOf } from '../../src/alerting/sources.ts'
import { dropNodes, withForecasts, withPerformance, withPoll } from '../../src/state/changes.ts'
import { type Failure, newSystem, type PerformanceState, type SystemState } from '../../src/state/state.ts'
import { createStatusReader, type Status } from '../../src/status/status.ts'
import { T } from '../readings/setup.ts'
import { pollingOf, statusSources } from '../server/status/status_setup.ts'
import { failedPoll, feedOf, goodPoll, polledSystem } from './systems.ts'

type Sources = Partial<Parameters<typeof createStatusReader>[0]>

/** The status at T, or at another time. */
function statusOf(systems: readonly SystemState[], more: Sources = {}): Status {
  return createStatusReader({ ...statusSources(systems), ready: () => true, ...more })()
}

function only<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined || list.length !== 1) throw new Error(`${list.length} instead of one`)
  return first
}

const onlySystem = (status: Status) => only(status.systems)
const onlyPool = (status: Status) => only(onlySystem(status).pools)
const at = (seconds: number) => ({ now: () => seconds * 1000 })

test('a system that was not polled yet is starting', () => {
  const status = statusOf([newSystem('a')])
  const summary = 'waiting for the first poll of 1 system'
  expect(status).toMatchObject({ state: 'starting', summary, problems: [] })
  expect(onlySystem(status)).toMatchObject({ state: 'starting', up: null, pools: [] })
})

describe('a system that is polled well', () => {
  const status = statusOf([polledSystem('a', { p: [{ name: 'n1' }, { name: 'n2', allocatedRatio: 0.25 }] })])

  test('has its state in words, and no problems', () => {
    expect(status).toMatchObject({ state: 'ok', summary: 'no problems', problems: [], timestamp_seconds: T })
    expect(onlySystem(status)).toMatchObject({ state: 'ok', summary: '1 pool, 2 nodes, all Good', up: true })
    expect(onlyPool(status)).toMatchObject({ state: 'ok', summary: '2 nodes, all Good', last_error: null })
  })

  test('has the capacity of the nodes that serve both values, and the disks of all', () => {
    const nodes = [
      { name: 'n1', allocatedRatio: 0.75 },
      { name: 'n2', more: { diskSpaceAllocatedCurrent: [] } },
      { name: 'n3', more: { diskSpaceTotalCurrent: [] } },
    ]
    const status = statusOf([polledSystem('a', { p: nodes, q: [{ name: 'n4', allocatedRatio: 0.25 }] })])
    const [first] = onlySystem(status).pools
    expect(first?.totals).toMatchObject({
      disks: 30,
      disk_space_total_bytes: 1000,
      disk_space_allocated_bytes: 750,
      disk_space_allocated_ratio: 0.75,
    })
    expect(onlySystem(status).totals).toMatchObject({ disks: 40, disk_space_allocated_ratio: 0.5 })
  })
})

describe('a poll that fails', () => {
  const good = polledSystem('a', { p: [{ name: 'n1' }] })
  const failing = withPoll(good, 'urn:p:', failedPoll(T + 60))

  test('has the error with its time and remedy; values are served until they are too old', () => {
    const status = statusOf([failing], at(T + 70))
    const pool = onlyPool(status)
    expect(pool).toMatchObject({
      state: 'critical',
      summary: 'the last poll failed; values from 70s ago are served for another 3m',
      last_error: { reason: 'connect', remedy: 'check the firewall', timestamp_seconds: T + 60 },
      values_until_timestamp_seconds: T + 300,
    })
    expect(onlySystem(status)).toMatchObject({
      state: 'critical',
      summary: '1 of 1 pool could not be polled',
    })
    expect(only(status.problems)).toMatchObject({
      severity: 'critical',
      system: 'a',
      pool: 'p',
      text: expect.stringContaining('connection refused'),
      remedy: 'check the firewall',
      timestamp_seconds: T + 60,
    })
  })

  test('has no values once they were dropped', () => {
    const pool = onlyPool(statusOf([dropNodes(failing, 'urn:p:')], at(T + 400)))
    expect(pool).toMatchObject({
      state: 'critical',
      summary: 'the last poll failed; there are no values',
      values_until_timestamp_seconds: null,
      nodes: [],
      attributes: [],
    })
  })

  test('is still shown after later polls succeeded, and is no problem any more', () => {
    const recovered = withPoll(failing, 'urn:p:', goodPoll(T + 120), feedOf([{ name: 'n1', t: T + 120 }]))
    const status = statusOf([recovered], at(T + 121))
    expect(onlyPool(status)).toMatchObject({ state: 'ok', last_error: { timestamp_seconds: T + 60 } })
    expect(status.problems).toEqual([])
  })

  test('of the history is a problem of its pool', () => {
    const recovered = withPoll(failing, 'urn:p:', goodPoll(T + 120), feedOf([{ name: 'n1', t: T + 120 }]))
    const failure = { reason: 'too_large', message: 'a year of points', remedy: 'shorten it', at: T } as const
    const polling = (name: string) => pollingOf(name, { historyFailures: new Map([['urn:p:', failure]]) })
    const status = statusOf([recovered], { polling, ...at(T + 121) })
    expect(onlyPool(status)).toMatchObject({
      state: 'warning',
      summary: 'the history could not be read',
      history_error: { reason: 'too_large', timestamp_seconds: T },
    })
    expect(status.problems).toMatchObject([
      { severity: 'warning', text: 'the history could not be read: a year of points', remedy: 'shorten it' },
    ])
  })

  test('of all pools for one reason is one problem of the system', () => {
    const two = polledSystem('a', { p: [{ name: 'n1' }], q: [{ name: 'n2' }] })
    const both = withPoll(withPoll(two, 'urn:p:', failedPoll(T)), 'urn:q:', failedPoll(T))
    expect(only(statusOf([both]).problems)).toMatchObject({
      pool: null,
      alert: 'SdsPoolPollsFailing',
      text: expect.stringMatching(/^all 2 pools: .*connection refused$/),
    })
    expect(statusOf([{ ...both, up: false }]).problems).toMatchObject([{ alert: 'SdsSystemUnreachable' }])
    const different = withPoll(both, 'urn:q:', failedPoll(T, { reason: 'timeout' }))
    expect(statusOf([different]).problems.map(({ pool }) => pool)).toEqual(['p', 'q'])
  })
})

test.each([
  ['auth', 'SdsTokenRefused'],
  ['forbidden', 'SdsAccessForbidden'],
  ['schema', 'SdsPoolPollsFailing'],
] as const)('polls that all fail with %s have the runbook of %s', (reason, alert) => {
  const one = withPoll(polledSystem('a', { p: [{ name: 'n1' }] }), 'urn:p:', failedPoll(T, { reason }))
  const problems = statusOf([one]).problems
  expect(problems).toMatchObject([{ alert, severity: 'critical' }])
  expect(alertsOf(readRules().sources).map((source) => source.alert)).toContain(alert)
})

describe('the Flux API', () => {
  const system = polledSystem('a', { p: [{ name: 'n1' }] })
  const reading = { stop: T, maxAgeOf: () => 1320, nodes: [], rejected: [] }
  const node = {
    nodeId: 'id-n1',
    host: 'n1',
    rows: 1,
    values: new Map(),
    transactions: undefined,
    errorTypes: undefined,
    latencies: new Map(),
    interfaces: [],
  }
  const failure = (reason: Failure['reason']): Failure => {
    return { reason, message: 'refused', remedy: 'report it', at: T }
  }
  const statusWith = (performance: Partial<PerformanceState>) => {
    const state = { reading: undefined, receivedAtMs: 0, failure: undefined, ...performance }
    const status = statusOf([withPerformance(system, state)])
    const { state: word, summary, error } = onlySystem(status).flux_api
    const problems = status.problems.map(
      ({ severity, alert, text, remedy }) => `${severity} ${alert}: ${text}: ${remedy}`,
    )
    return { state: word, summary, error: error?.message, problems }
  }

  test('that failed has a problem with its remedy', () => {
    expect(statusWith({ failure: failure('client_error') })).toEqual({
      state: 'failing',
      summary: 'queries are refused',
      error: 'refused',
      problems: ['warning SdsQueryFailing: refused: report it'],
    })
  })

  test('that is not there is no problem', () => {
    expect(statusWith({ failure: failure('not_found') })).toMatchObject({ state: 'failing', problems: [] })
  })

  test('of which some queries failed has a problem, and is polled', () => {
    const performance = { reading: { ...reading, nodes: [node] }, partFailure: failure('client_error') }
    expect(statusWith(performance)).toEqual({
      state: 'ok',
      summary: 'polled, 1 node; some queries failed',
      error: 'refused',
      problems: ['warning SdsQueryFailing: refused: report it'],
    })
  })

  test('without current data has a problem', () => {
    const { state, problems } = statusWith({ reading })
    const problem = /^warning SdsQueryEmpty: the Flux API has no current data: wait for ten minutes/
    expect([state, problems]).toEqual(['empty', [expect.stringMatching(problem)]])
  })
})

describe('what needs attention', () => {
  const problemsOf = (...nodes: Parameters<typeof feedOf>[0]) =>
    statusOf([polledSystem('a', { p: nodes })]).problems.map(({ severity, text }) => `${severity} ${text}`)

  test.each([
    ['Good', []],
    ['Maintenance', []],
    ['Suspect', ['warning 1 of 2 nodes not Good: n1 (Suspect)']],
    ['Bad', ['critical 1 of 2 nodes not Good: n1 (Bad)']],
    ['NotAccessible', ['warning 1 of 2 nodes not Good: n1 (NotAccessible)']],
    ['Exploded', ['warning 1 of 2 nodes not Good: n1 (Exploded)']],
  ])('a node that is %s', (health, problems) => {
    expect(problemsOf({ name: 'n1', health }, { name: 'n2' })).toEqual(problems)
  })

  test('bad disks, and a pool that is nearly full', () => {
    expect(problemsOf({ name: 'n1', badDisks: 2 }, { name: 'n2' })).toEqual(['warning 2 bad disks: n1 (2)'])
    expect(problemsOf({ name: 'n1', allocatedRatio: 0.945 })).toEqual([
      'critical 94.5% of the disk space is allocated',
    ])
  })

  const IN_20_DAYS = 'warning 90% full in 20 days'
  /** Columns: case, days of the pool, problems, and of each node the forecasts by length of history. */
  test.each<[string, number | null, string[], string[]]>([
    ['four nodes and a new one', 900, [], ['900', '900', '900', '900', '14']],
    ['the mean of the two in the middle', 20, [IN_20_DAYS], ['10', '30', '5', '900']],
    ['the shortest history', 20, [IN_20_DAYS], ['40 20', '40 20']],
    ['half of the nodes', 20, [IN_20_DAYS], ['20', 'N/A']],
    ['less than half of the nodes', null, [], ['20', 'N/A', '']],
    ['one of three nodes at its target', 40, [], ['0', '40', '40']],
    ['most nodes at their target', 0, ['critical over 90%'], ['0', '0', '40']],
  ])('the forecast of a pool is the median of its nodes: %s', (_, days, problems, ofNodes) => {
    const nodes = ofNodes.map((ofNode, index) => ({
      name: `n${index}`,
      allocatedRatio: 0.77,
      more: {
        allocatedCapacityForecast: (ofNode.match(/\S+/g) ?? []).map((forecast, place) => {
          return { unit: 'day', forecast, history: ['7', '28'][place], target: '90' }
        }),
      },
    }))
    const system = withForecasts(polledSystem('a', { p: nodes }), 'urn:p:', '7d', feedOf(nodes))
    const status = statusOf([system])
    expect(onlyPool(status).figures.forecast_seconds).toBe(days === null ? null : days * 86_400)
    const texts = status.problems.map(({ severity, text }) => `${severity} ${text}`)
    expect(texts).toEqual(problems.map((text) => `${text}, by the median forecast of its nodes`))
  })

  test('the settings of the alerts apply, and disabled alerts are no problems', () => {
    const system = polledSystem('a', { p: [{ name: 'n1', badDisks: 1, allocatedRatio: 0.85 }] })
    const alertsWith = (config: Partial<AlertingConfig>) =>
      statusOf([system], { alerting: () => ({ ...DEFAULT_ALERTING, ...config }) }).problems.map(
        ({ alert, severity }) => `${severity} ${alert}`,
      )
    expect(alertsWith({})).toEqual(['warning SdsDisksBad', 'warning SdsCapacityHigh'])
    expect(alertsWith({ values: { 'usedRatio.critical': 0.82 } })).toContain('critical SdsCapacityCritical')
    expect(alertsWith({ disabled: ['SdsDisksBad'] })).toEqual(['warning SdsCapacityHigh'])
    const ofPool = { ...DEFAULT_ALERTING, system: 'a', pool: 'p', values: { 'usedRatio.warning': 0.9 } }
    expect(alertsWith({ overrides: [ofPool] })).toEqual(['warning SdsDisksBad'])
    expect(alertsWith({ overrides: [{ ...ofPool, pool: 'q' }] })).toContain('warning SdsCapacityHigh')
    expect(alertsWith({ overrides: [{ ...ofPool, pool: undefined }] })).toEqual(['warning SdsDisksBad'])
  })

  test('nodes with little CPU time or memory left', () => {
    const more = {
      nodeCpuUtilizationCurrent: [{ t: T, Percent: '95' }],
      nodeMemoryUtilizationCurrent: [{ t: T, Percent: '97' }],
    }
    expect(problemsOf({ name: 'n1', more }, { name: 'n2' })).toEqual([
      'notice 1 node above 90.0% of their CPU time: n1 (95.0%)',
      'notice 1 node above 95.0% of their memory: n1 (97.0%)',
    ])
  })

  test('transactions that fail, and that are slow', () => {
    const more = {
      transactionReadTransactionsPerSecCurrent: [{ t: T, TPS: 400 }],
      transactionWriteTransactionsPerSecCurrent: [{ t: T, TPS: 100 }],
      transactionErrorsCurrent: {
        all: [{ t: T, Rate: 40 }],
        errorSuccessTotals: [{ successTotal: 60, errorTotal: 40 }],
        types: [
          { category: 'User', errorType: '404 (S3)', errorCount: 10 },
          { category: 'System', errorType: '500 (S3)', errorCount: 30 },
        ],
      },
      transactionReadLatencyCurrent: [{ t: T, Latency: 900 }],
      transactionWriteLatencyCurrent: [{ t: T, Latency: 2000 }],
    }
    expect(problemsOf({ name: 'n1', more })).toEqual([
      'critical 40.0% of the transactions fail, 30.0% with server errors',
      'warning reads take 900 ms',
      'warning writes take 2.0 s',
    ])
  })

  test('transactions of nodes whose successes are known', () => {
    const errorsOf = (totals: object, failed: number) => ({
      transactionErrorsCurrent: {
        errorSuccessTotals: [totals],
        types: [{ category: 'User', errorType: '404 (S3)', errorCount: failed }],
      },
    })
    const nodes = [
      { name: 'n1', more: errorsOf({ successTotal: 90, errorTotal: 10 }, 4) },
      { name: 'n2', more: errorsOf({ errorTotal: 100 }, 100) },
    ]
    expect(onlyPool(statusOf([polledSystem('a', { p: nodes })])).figures).toMatchObject({
      failed_transactions_ratio: 0.1,
      system_failed_transactions_ratio: 0.06,
    })
  })

  test('names of many nodes are cut', () => {
    const nodes = Array.from({ length: 8 }, (_, index) => ({ name: `n${index}`, health: 'Bad' }))
    expect(problemsOf(...nodes)).toEqual([
      'critical 8 of 8 nodes not Good: n0 (Bad), n1 (Bad), n2 (Bad), n3 (Bad), n4 (Bad) and 3 more',
    ])
  })

  test('samples that are old by the clock of the system', () => {
    const system = polledSystem('a', { p: [{ name: 'n1', t: T - 1200 }] })
    expect(only(statusOf([system]).problems).text).toBe('the newest samples are old: capacity 20m')
    // Its clock is 20 minutes behind: the samples are new.
    const behind = statusOf([{ ...system, clockSkewSeconds: -1200 }])
    expect(only(behind.problems).text).toBe('the clock of the system is 20m behind')
  })

  test('a certificate that ends soon, and one that has ended', () => {
    const system = polledSystem('a', { p: [{ name: 'n1' }] })
    const textAt = (tlsNotAfterSeconds: number) =>
      statusOf([{ ...system, tlsNotAfterSeconds }]).problems.map(({ text }) => text)
    expect(textAt(T + 15 * 86_400)).toEqual([])
    expect(textAt(T + 3 * 86_400)).toEqual(['the TLS certificate of the system expires in 3d'])
    expect(textAt(T - 3 * 86_400)).toEqual(['the TLS certificate of the system expired 3d ago'])
  })

  test('a system with a problem is not ok, although it is polled well', () => {
    const system = { ...polledSystem('a', { p: [{ name: 'n1' }] }), clockSkewSeconds: 3600 }
    expect(statusOf([system])).toMatchObject({ state: 'critical', systems: [{ state: 'critical' }] })
  })
})

test('the worst nodes come first, then names by their numbers', () => {
  const nodes = [
    { name: 'node-10' },
    { name: 'node-9' },
    { name: 'node-2', health: 'Maintenance' },
    { name: 'node-3', badDisks: 1 },
    { name: 'node-4', health: 'Bad' },
    { name: 'node-5', health: 'NotAccessible' },
  ]
  const { nodes: sorted } = onlyPool(statusOf([polledSystem('a', { p: nodes })]))
  expect(sorted.map(({ name, severity }) => `${name} ${severity}`)).toEqual([
    'node-4 critical',
    'node-3 warning',
    'node-5 warning',
    'node-2 notice',
    'node-9 ok',
    'node-10 ok',
  ])
})

describe('the login', () => {
  const system = polledSystem('a', { p: [{ name: 'n1' }] })
  const login = (session: Partial<ReturnType<typeof pollingOf>['client']['session']>, username?: string) => {
    const polling = pollingOf('a')
    const client = { ...polling.client, session: { ...polling.client.session, ...session } }
    const auth =
      username === undefined ? polling.system.auth : { kind: 'login_file' as const, username, file: 'f' }
    return onlySystem(
      statusOf([system], { polling: () => ({ ...polling, client, system: { ...polling.system, auth } }) }),
    ).login
  }

  test('with a token', () => {
    expect(login({ state: 'refused' })).toMatchObject({
      method: 'token',
      state: 'refused',
      summary: 'token of the configuration refused',
    })
  })

  test('with a password: since when, and when the next one is sent', () => {
    expect(login({ state: 'open', loggedInAtMs: (T - 200) * 1000 }, 'monitor')).toMatchObject({
      method: 'password',
      state: 'accepted',
      summary: 'monitor: logged in 3m ago',
    })
    expect(login({ state: 'refused', pauseMs: 29_000 }, 'monitor')).toMatchObject({
      state: 'refused',
      summary: 'monitor: login refused, next login in 29s',
    })
    expect(login({ state: 'refused' }, 'monitor').summary).toBe(
      'monitor: login refused, next login with the next poll',
    )
    for (const state of ['unused', 'open'] as const)
      expect(login({ state }, 'monitor').summary).toBe('monitor: not logged in yet')
  })
})

test('the details of a pool are computed once for each of its states', () => {
  const system = polledSystem('a', { p: [{ name: 'n1' }] })
  const read = createStatusReader({ ...statusSources([system]), ready: () => true })
  const nodes = () => read().systems[0]?.pools[0]?.nodes
  expect(nodes()).toHaveLength(1)
  expect(nodes()).toBe(nodes())
})
