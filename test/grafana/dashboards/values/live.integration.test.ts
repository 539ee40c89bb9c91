import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RECORDED } from '../../../../grafana/mixin/promql/metrics.ts'
import { type Selection, substitute } from '../../../../grafana/mixin/promql/selection.ts'
import { parseConfig } from '../../../../src/config/load.ts'
import { createExporter, type Exporter } from '../../../../src/exporter/exporter.ts'
import { silentLog } from '../../../../src/log.ts'
import { temporaryFolder } from '../../../support/folders.ts'
import { createEmulator, type Emulator } from '../../../support/programs/emulator.ts'
import { type Prometheus, type Sample, startPrometheus } from '../../../support/programs/prometheus.ts'
import { waitForAssertion } from '../../../support/wait.ts'
import { scaledRules } from '../../rules/scaled.ts'
import { annotationQueries, type PanelQuery, panelQueries } from '../queries.ts'

const START_TIMEOUT_MS = 180_000
const { sampleAge, forecastAvailable, failedNotByUserRatio, nodeBusierNic, writeLatency } = RECORDED
const OF_QUERIES = [sampleAge, forecastAvailable, failedNotByUserRatio, RECORDED.nodeWriteLatencyQuantile]

/**
 * Systems by their profiles: one with all figures in its feed and a pair of exporters, two with the Flux API,
 * and one with neither source of performance figures. Groups of recording rules are evaluated at different times, so
 * series of each are awaited.
 */
const SYSTEMS = {
  classic: [sampleAge, forecastAvailable, failedNotByUserRatio, nodeBusierNic, writeLatency],
  modern: [...OF_QUERIES, nodeBusierNic],
  'range-defect': OF_QUERIES,
  community: [sampleAge, forecastAvailable],
} as const
type System = keyof typeof SYSTEMS
const NAMES = Object.keys(SYSTEMS) as System[]

const emulators: Emulator[] = []
const exporters: { readonly system: System; readonly exporter: Exporter }[] = []
let prometheus: Prometheus

/** With the Flux API, the clock is 60 times as fast: the next point of a counter comes after five seconds. */
async function startSystem(system: System): Promise<void> {
  const startedAt = Date.now()
  const isQueried = system === 'modern' || system === 'range-defect'
  const emulator = createEmulator({
    listenAddress: '127.0.0.1:0',
    profile: system,
    nodes: 3,
    dataPorts: true,
    ...(isQueried && { clock: () => startedAt + 60 * (Date.now() - startedAt) }),
    ...(system === 'classic' && { scenario: 'disk-failures' as const }),
  })
  emulators.push(emulator)
  await emulator.start()
  const text = `
systems: [{name: ${system}, base_url: "${emulator.url}", auth: {token: emulator-monitor}}]
poll: {schedule: "* * * * * *", max_random_delay: 0s}
forecast: {schedule: "*/5 * * * * *"}
performance: {schedule: "*/2 * * * * *"}
limits: {requests_per_second: 100}
resources: {data_nodes: {schedule: "*/2 * * * * *", scheme: http, port: ${new URL(emulator.url).port}, maintenance: true}}
`
  for (let count = system === 'classic' ? 2 : 1; count > 0; count -= 1) {
    const exporter = createExporter({
      load: () => parseConfig(text, { file: 'live.yml', environment: {} }),
      version: 'test',
      listenAddress: '127.0.0.1:0',
      lifecycle: false,
      log: silentLog,
    })
    exporters.push({ system, exporter })
    await exporter.start()
  }
}

const instancesOf = (system: System): string[] =>
  exporters.filter((one) => one.system === system).map(({ exporter }) => new URL(exporter.url).host)

async function isServed(system: System): Promise<void> {
  const labels = `{system="${system}"}`
  await prometheus.waitForSamples(`count(rate(sds_api_requests_total${labels}[4m])) > 0`)
  for (const name of SYSTEMS[system]) await prometheus.waitForSamples(`count(${name}${labels}) > 0`)
}

beforeAll(async () => {
  using rules = temporaryFolder()
  for (const system of NAMES) await startSystem(system)
  prometheus = await startPrometheus({
    // Evaluated each second, with ranges as much shorter.
    ruleFiles: scaledRules(1 / 60).map(({ text }, index) => rules.write(`${index}.yml`, text)),
    config: {
      scrape_configs: [
        {
          job_name: 'sds-exporter',
          scrape_interval: '1s',
          static_configs: [{ targets: NAMES.flatMap(instancesOf) }],
        },
      ],
    },
  })
  for (const system of NAMES) await isServed(system)
  const forecasts = 'count by (instance) (sds_node_capacity_forecast_available{system="classic"})'
  await prometheus.waitForSamples(`count(${forecasts}) == 2`)
  // Of two pools of three nodes, reads and writes.
  const latencies = 'rate(sds_node_transaction_latency_seconds_bucket[15m])'
  await prometheus.waitForSamples(`count(histogram_quantile(0.5, ${latencies}) >= 0) == 24`)
}, START_TIMEOUT_MS)
afterAll(async () => {
  await prometheus?.stop()
  for (const { exporter } of exporters) await exporter.stop()
  for (const emulator of emulators) await emulator.stop()
})

/** Panels that are empty here, with the reason. */
const EXPECTED_EMPTY: Readonly<Record<string, string>> = {
  'sds-fleet / Alerts firing now': 'lists what has issues',
  'sds-system / Links that have failed, or copy to a new site': 'there is one site',
  'sds-system / Top $topn replication groups by lag': 'there is one site',
  'sds-system / Top $topn pools by garbage reclaimed in a day': 'a test is shorter',
  'sds-namespaces / Top $topn buckets by size': 'buckets are off by default',
  'sds-namespaces / Top $topn by buckets': 'buckets are off by default',
  'sds-exporter / Request duration, 95th percentile': 'polls come once a minute, a test is shorter',
  'sds-exporter / Failed polls by reason': 'no poll fails',
  'sds-exporter / Failed logins': 'no login fails',
  'sds-exporter / Failed polls of the Flux API': 'no poll fails',
  'sds-exporter / Rows of unknown nodes': 'all pools are polled',
  'sds-exporter / Rejected values': 'the emulator serves no unreadable value',
  ...Object.fromEntries(
    [
      'sds-fleet / Pools that were not Good',
      'sds-pool / Nodes that were not Good',
      'sds-disks / Nodes with disks to repair',
      'sds-disks / Top $topn pools by disks gone bad in a day',
      'sds-disks / Pools that were recovering',
      'sds-disks / Top $topn pools by hours of recovery',
      'sds-exporter / Pools whose polls failed',
    ].map((where) => [where, 'lists what has issues']),
  ),
}

/** Without an interface it may have been polled only before the first scrape, because it is polled seldom. */
const QUERY_POLLS = 'sds-exporter / Polls of the Flux API'
const DIRECTORY_TABLES: readonly string[] = ['sds-system / Tables', 'sds-system / Tables not ready']
/** Panels of the Flux API, which is not used where the feed has all figures. */
const EXPECTED_EMPTY_WITH_FEED: readonly string[] = [
  ...DIRECTORY_TABLES,
  'sds-node / Network traffic by interface',
  'sds-exporter / Flux API',
  QUERY_POLLS,
  'sds-exporter / Rows of unknown nodes',
]

/** Panels of the use of network interfaces. Releases before 4.x do not have their speed. */
const WITHOUT_SPEED: readonly string[] = [
  'sds-pool / Top $topn nodes by NIC use',
  'sds-node / Network use',
  'sds-performance / Top $topn nodes by NIC receive',
  'sds-performance / Top $topn nodes by NIC transmit',
]

/** Metrics that a system without the Flux API does not have. */
const LOST = /sds_node_(cpu|memory|nic|transaction|transactions|disk_read|disk_write)_/

const place = ({ dashboard, panel }: PanelQuery): string => `${dashboard} / ${panel}`

interface Asked {
  readonly where: string
  readonly expr: string
  readonly samples: readonly Sample[]
}

/** Subqueries look at every minute or fifth minute, and a test is shorter. */
const soon = (expr: string): string => expr.replaceAll('[3h:5m]', '[1m:1s]').replaceAll(/:[15]m\]/g, ':1s]')

/** Runs every query of every panel as Grafana does. @throws for a query that Prometheus refuses */
const queryAll = (system: System, selection: Selection): Promise<Asked[]> =>
  Promise.all(
    panelQueries().map(async (query) => {
      const expr = soon(
        substitute(query.expr, { system: [system], instance: instancesOf(system), ...selection }),
      )
      return { where: place(query), expr, samples: await prometheus.query(expr) }
    }),
  )

/**
 * The queries of every panel, as soon as an assertion about their results holds. On a loaded machine a scrape or an
 * evaluation may take longer than its second, so that a series is missing for a moment.
 */
async function settledQueries(
  system: System,
  assertion: (list: readonly Asked[]) => void,
  selection: Selection = {},
): Promise<Asked[]> {
  let list: Asked[] = []
  const check = async () => {
    list = await queryAll(system, selection)
    assertion(list)
  }
  await waitForAssertion(check, { interval: 500 })
  const notFinite = list.filter(({ samples }) => samples.some(({ value }) => !Number.isFinite(value)))
  expect(notFinite.map(({ where, expr }) => `${where}: ${expr}`)).toEqual([])
  return list
}

/** Panels without a result that are not expected to have none. */
const emptyPlaces = (list: readonly Asked[]): string[] => {
  const found = new Set(list.filter(({ samples }) => samples.length > 0).map(({ where }) => where))
  const places = [...new Set(list.map(({ where }) => where))]
  return places.filter((where) => !found.has(where) && !(where in EXPECTED_EMPTY))
}

/** The last of these columns of “Data” is the reason of a failure; before are state, two ages, and the groups. */
function servedShares(list: readonly Asked[], uid: string, groups: number): number[][] {
  const columns = list.filter(({ where }) => where === `${uid} / Data`)
  return columns.slice(3, 3 + groups).map(({ samples }) => samples.map(({ value }) => value))
}
const inEachGroup = (share: number) => Array.from({ length: 4 }, () => new Set([share]))
const sharesOfNodes = (list: readonly Asked[]) =>
  servedShares(list, 'sds-node', 4).map((group) => new Set(group))

describe('every panel has results, numbers only,', () => {
  test.each<[string, Selection]>([
    ['All', {}],
    ['one pool', { pool: ['hot'] }],
    ['one node', { pool: ['hot'], node: ['hot-node-01'] }],
  ])('with a pair of exporters and %s', async (_, selection) => {
    const check = (list: readonly Asked[]) =>
      expect(emptyPlaces(list).filter((where) => !EXPECTED_EMPTY_WITH_FEED.includes(where))).toEqual([])
    await settledQueries('classic', check, selection)
  })

  test('with the Flux API, which serves everything', async () => {
    await settledQueries('modern', (list) => {
      expect(emptyPlaces(list)).toEqual([])
      expect(sharesOfNodes(list)).toEqual(inEachGroup(1))
    })
  })

  test('with the Flux API of a release whose ranges are wrong, except the use of interfaces', async () => {
    await settledQueries('range-defect', (list) => expect(emptyPlaces(list)).toEqual(WITHOUT_SPEED))
  })

  test('with neither source of performance figures, except those of their attributes', async () => {
    const queries = await settledQueries('community', (list) => {
      const unexplained = emptyPlaces(list).filter((where) => {
        const exprs = list.filter((one) => one.where === where).map(({ expr }) => expr)
        const isOfQueries = where === QUERY_POLLS || DIRECTORY_TABLES.includes(where)
        return !isOfQueries && !exprs.every((expr) => LOST.test(expr))
      })
      expect(unexplained).toEqual([])
      expect(sharesOfNodes(list)).toEqual(inEachGroup(0))
    })
    expect(emptyPlaces(queries).length).toBeGreaterThan(20)
    const [capacity = []] = servedShares(queries, 'sds-capacity', 1)
    expect(capacity.length).toBeGreaterThan(0)
    for (const share of capacity) expect(share).toBeGreaterThan(0.5)
  })
})

test('with a pair of exporters, each node is counted once, and those with failed disks are listed', async () => {
  const samplesOf = (list: readonly Asked[], place: string) =>
    list.filter(({ where }) => where === place).flatMap(({ samples }) => samples)
  await settledQueries('classic', (list) => {
    const nodes = samplesOf(list, 'sds-fleet / Node states')
    expect(nodes.reduce((sum, { value }) => sum + value, 0)).toBe(6)
    const toRepair = samplesOf(list, 'sds-disks / Nodes with disks to repair')
    expect(toRepair.length).toBeGreaterThan(0)
    for (const { metric, value } of toRepair) {
      expect(['Bad', 'ReadyToReplace']).toContain(metric['status'])
      expect(value).toBeGreaterThan(0)
    }
  })
})

test('the alert on the failed disks fires, once for a pair of exporters', async () => {
  const firing = 'ALERTS{system="classic",alertname="SdsDisksBad",alertstate="firing"}'
  const alerts = await prometheus.waitForSamples(firing)
  expect(alerts.map(({ metric }) => metric['pool']).sort()).toEqual(['archive', 'hot'])
})

test('Prometheus accepts the query of every annotation', async () => {
  for (const { expr } of annotationQueries()) await prometheus.query(substitute(expr))
})
