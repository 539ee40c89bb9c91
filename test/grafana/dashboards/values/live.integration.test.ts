import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RECORDED, type RecordedName } from '../../../../grafana/mixin/promql/metrics.ts'
import { type Selection, substitute } from '../../../../grafana/mixin/promql/selection.ts'
import { parseConfig } from '../../../../src/config/load.ts'
import { createExporter, type Exporter } from '../../../../src/exporter/exporter.ts'
import { silentLog } from '../../../../src/log.ts'
import { type Folder, temporaryFolder } from '../../../support/folders.ts'
import { type Child, startProcess } from '../../../support/processes.ts'
import { createEmulator, type Emulator } from '../../../support/programs/emulator.ts'
import { type Prometheus, type Sample, startPrometheus } from '../../../support/programs/prometheus.ts'
import { waitFor, waitForAssertion } from '../../../support/wait.ts'
import { scaledRules } from '../../rules/scaled.ts'
import { ALL, annotationQueries, type PanelQuery, panelQueries } from '../queries.ts'

const START_TIMEOUT_MS = 60_000
/** Of two pools of three nodes, reads and writes. */
const LATENCIES =
  'count(histogram_quantile(0.5, rate(sds_node_transaction_latency_seconds_bucket[15m])) >= 0)'
const READY = 'count(rate(sds_api_requests_total[4m]))'

/** Groups of recording rules are evaluated at different times, so one series of each is awaited. */
const recorded = (...names: readonly RecordedName[]): string =>
  names.map((name) => `count(${name}) > 0`).join(' and ')
const OF_ALL_SYSTEMS = recorded(RECORDED.sampleAge, RECORDED.forecastAvailable)
const OF_PERFORMANCE = recorded(RECORDED.failedNotByUserRatio)
const OF_INTERFACES = recorded(RECORDED.nodeBusierNic)
const OF_QUERIES = `${READY} > 0 and ${LATENCIES} == 12 and ${OF_ALL_SYSTEMS} and ${OF_PERFORMANCE} and count(${RECORDED.nodeWriteLatencyQuantile}) == 6`

/**
 * A pair of exporters of one system, exporters of two systems with the query interface, and an exporter of one with
 * neither source of performance figures, each with a Prometheus.
 */
let rules: Folder
let demos: Child[]
let full: Prometheus
let queried: QueriedSystem[]
let modern: Prometheus
let defect: Prometheus
let without: Prometheus
let exporters: string[]

interface QueriedSystem {
  readonly emulator: Emulator
  readonly exporter: Exporter
}

/** The clock of the emulator is 60 times as fast, so that the next point of a counter comes after five seconds. */
async function startQueried(profile: 'modern' | 'range-defect'): Promise<QueriedSystem> {
  const startedAt = Date.now()
  const emulator = createEmulator({
    listenAddress: '127.0.0.1:0',
    profile,
    nodes: 3,
    clock: () => startedAt + 60 * (Date.now() - startedAt),
  })
  await emulator.start()
  const text = `
systems: [{name: demo, base_url: "${emulator.url}", auth: {token: emulator-monitor}}]
poll: {schedule: "* * * * * *", max_random_delay: 0s}
forecast: {schedule: "*/5 * * * * *"}
performance: {schedule: "*/2 * * * * *"}
limits: {requests_per_second: 100}
`
  const exporter = createExporter({
    load: () => parseConfig(text, { file: 'live.yml', environment: {} }),
    version: 'test',
    listenAddress: '127.0.0.1:0',
    lifecycle: false,
    log: silentLog,
  })
  await exporter.start()
  return { emulator, exporter }
}

/** Starts a demo. `address` is where it serves metrics. */
async function startDemo(...flags: readonly string[]): Promise<{ demo: Child; address: string }> {
  const addresses = ['--web.listen-address=127.0.0.1:0', '--admin.listen-address=127.0.0.1:0']
  const demo = await startProcess(process.execPath, [
    'src/main.ts',
    'demo',
    ...addresses,
    '--nodes=3',
    '--log.level=warn',
    ...flags,
  ])
  const found = await waitFor(() => /http:\/\/(\S+)\/metrics/.exec(demo.stdout()), {
    what: 'the demo to print its URLs',
    timeout: START_TIMEOUT_MS,
    detail: () => demo.stderr(),
  })
  return { demo, address: found[1] ?? '' }
}

/** Evaluated each second, with ranges as much shorter. */
const RECORDING = scaledRules(1 / 60).slice(0, 1)

const scrape = (targets: readonly string[]): Promise<Prometheus> =>
  startPrometheus({
    ruleFiles: RECORDING.map(({ path, text }) => rules.write(path.replaceAll('/', '_'), text)),
    config: {
      scrape_configs: [
        { job_name: 'sds-exporter', scrape_interval: '1s', static_configs: [{ targets: [...targets] }] },
      ],
    },
  })

beforeAll(async () => {
  rules = temporaryFolder()
  const started = await Promise.all([
    startDemo('--profile=classic', '--scenario=disk-failures'),
    startDemo('--profile=classic', '--scenario=disk-failures'),
    startDemo('--profile=community'),
  ])
  demos = started.map(({ demo }) => demo)
  const [one = '', other = '', community = ''] = started.map(({ address }) => address)
  exporters = [one, other]
  full = await scrape(exporters)
  without = await scrape([community])
  queried = await Promise.all([startQueried('modern'), startQueried('range-defect')])
  const [current = '', old = ''] = queried.map(({ exporter }) => new URL(exporter.url).host)
  modern = await scrape([current])
  defect = await scrape([old])
  await full.waitForSamples(
    `${READY} > 0 and count(count by (instance) (sds_node_capacity_forecast_available)) == 2 and count(${RECORDED.forecastAvailable}) == 2 and ${OF_ALL_SYSTEMS} and ${OF_PERFORMANCE} and ${OF_INTERFACES} and ${recorded(RECORDED.writeLatency)}`,
  )
  await without.waitForSamples(`${READY} > 0 and ${OF_ALL_SYSTEMS}`)
  await modern.waitForSamples(`${OF_QUERIES} and ${OF_INTERFACES}`)
  await defect.waitForSamples(OF_QUERIES)
}, 3 * START_TIMEOUT_MS)
afterAll(async () => {
  await Promise.all([full, without, modern, defect].map((prometheus) => prometheus?.stop()))
  for (const { exporter, emulator } of queried ?? []) {
    await exporter.stop()
    await emulator.stop()
  }
  await Promise.all((demos ?? []).map((demo) => demo.stop()))
  rules?.[Symbol.dispose]()
})

/** Panels that are empty here, with the reason. */
const EXPECTED_EMPTY: Readonly<Record<string, string>> = {
  'sds-fleet / Alerts firing now': 'no alerts are loaded',
  'sds-system / Links that have failed, or copy to a new site': 'there is one site',
  'sds-system / Top $topn replication groups by lag': 'there is one site',
  'sds-system / Top $topn pools by garbage reclaimed in a day': 'a test is shorter',
  'sds-namespaces / Top $topn buckets by size': 'buckets are off by default',
  'sds-namespaces / Top $topn by buckets': 'buckets are off by default',
  'sds-exporter / Request duration, 95th percentile': 'polls come once a minute, a test is shorter',
  'sds-exporter / Failed polls by reason': 'no poll fails',
  'sds-exporter / Failed logins': 'no login fails',
  'sds-exporter / Failed polls of the query interface': 'no poll fails',
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
    ].map((where) => [where, 'lists what is in trouble']),
  ),
}

/** Without an interface it may have been polled only before the first scrape, because it is polled seldom. */
const QUERY_POLLS = 'sds-exporter / Polls of the query interface'
const DIRECTORY_TABLES: readonly string[] = ['sds-system / Tables', 'sds-system / Tables not ready']
/** Panels of the query interface, which is not used where the feed has all figures. */
const EXPECTED_EMPTY_WITH_FEED: readonly string[] = [
  ...DIRECTORY_TABLES,
  'sds-node / Network traffic by interface',
  'sds-exporter / Query interface',
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

/** Metrics that a system without the query interface does not have. */
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
const queryAll = (prometheus: Prometheus, selection: Selection): Promise<Asked[]> =>
  Promise.all(
    panelQueries().map(async (query) => {
      const expr = soon(substitute(query.expr, selection))
      return { where: place(query), expr, samples: await prometheus.query(expr) }
    }),
  )

/**
 * The queries of every panel, as soon as an assertion about their results holds. On a loaded machine a scrape or an
 * evaluation may take longer than its second, so that a series is missing for a moment.
 */
async function settledQueries(
  prometheus: Prometheus,
  selection: Selection,
  assertion: (list: readonly Asked[]) => void,
): Promise<Asked[]> {
  let list: Asked[] = []
  const check = async () => {
    list = await queryAll(prometheus, selection)
    assertion(list)
  }
  await waitForAssertion(check, { interval: 500 })
  return list
}

/** Results that are no numbers. */
const notFinite = (list: readonly Asked[]): string[] =>
  list
    .filter(({ samples }) => samples.some(({ value }) => !Number.isFinite(value)))
    .map(({ where, expr }) => `${where}: ${expr}`)

const emptyPlaces = (list: readonly Asked[]): string[] => {
  const found = new Set(list.filter(({ samples }) => samples.length > 0).map(({ where }) => where))
  return [...new Set(list.map(({ where }) => where))].filter((where) => !found.has(where))
}

describe('every panel, with a pair of exporters', () => {
  const SELECTIONS: readonly { what: string; selection: Selection }[] = [
    { what: 'All', selection: ALL },
    { what: 'one pool', selection: { system: ['demo'], pool: ['hot'] } },
    { what: 'one node', selection: { system: ['demo'], pool: ['hot'], node: ['hot-node-01'] } },
  ]

  test.each(SELECTIONS)('has results for $what, and numbers only', async ({ selection }) => {
    const queries = await settledQueries(full, { instance: exporters, ...selection }, (list) => {
      const empty = emptyPlaces(list).filter((where) => !(where in EXPECTED_EMPTY))
      expect(empty.filter((where) => !EXPECTED_EMPTY_WITH_FEED.includes(where))).toEqual([])
    })
    expect(notFinite(queries)).toEqual([])
  })

  test('counts each node once', async () => {
    await settledQueries(full, { instance: exporters }, (list) => {
      const counts = list.filter(({ where }) => where === 'sds-fleet / Node states')
      const nodes = counts.flatMap(({ samples }) => samples).reduce((sum, { value }) => sum + value, 0)
      expect(nodes).toBe(6)
    })
  })

  test('lists the nodes with failed disks', async () => {
    const rowsOf = (list: readonly Asked[]) =>
      list.find(({ where }) => where === 'sds-disks / Nodes with disks to repair')?.samples ?? []
    const queries = await settledQueries(full, { instance: exporters }, (list) =>
      expect(rowsOf(list).length).toBeGreaterThan(0),
    )
    for (const { metric, value } of rowsOf(queries)) {
      expect(['Bad', 'ReadyToReplace']).toContain(metric['status'])
      expect(value).toBeGreaterThan(0)
    }
  })

  test('accepts the query of every annotation', async () => {
    for (const { expr } of annotationQueries()) await full.query(substitute(expr))
  })
})

describe('every panel, with the query interface', () => {
  test('has results, and numbers only', async () => {
    const queries = await settledQueries(modern, ALL, (list) =>
      expect(emptyPlaces(list).filter((where) => !(where in EXPECTED_EMPTY))).toEqual([]),
    )
    expect(notFinite(queries)).toEqual([])
  })

  test('shows that everything is served', async () => {
    await settledQueries(modern, ALL, (list) =>
      expect(servedShares(list, 'sds-node', 4).map((group) => new Set(group))).toEqual(
        Array.from({ length: 4 }, () => new Set([1])),
      ),
    )
  })
})

describe('every panel, with the query interface of a release whose ranges are wrong', () => {
  test('has results, and numbers only, except for what needs the speed of interfaces', async () => {
    const queries = await settledQueries(defect, ALL, (list) =>
      expect(emptyPlaces(list).filter((where) => !(where in EXPECTED_EMPTY))).toEqual(WITHOUT_SPEED),
    )
    expect(notFinite(queries)).toEqual([])
  })
})

/** The last of these columns of “Data” is the reason of a failure; before are state, two ages, and the groups. */
function servedShares(list: readonly Asked[], uid: string, groups: number): number[][] {
  const columns = list.filter(({ where }) => where === `${uid} / Data`)
  return columns.slice(3, 3 + groups).map(({ samples }) => samples.map(({ value }) => value))
}

describe('every panel, with neither source of performance figures', () => {
  test('is empty only where the system does not serve its attributes', async () => {
    const queries = await settledQueries(without, ALL, (list) => {
      const unexplained = emptyPlaces(list).filter((where) => {
        const exprs = list.filter((one) => one.where === where).map(({ expr }) => expr)
        const isOfQueries = where === QUERY_POLLS || DIRECTORY_TABLES.includes(where)
        return !(where in EXPECTED_EMPTY) && !isOfQueries && !exprs.every((expr) => LOST.test(expr))
      })
      expect(unexplained).toEqual([])
    })
    expect(emptyPlaces(queries).length).toBeGreaterThan(20)
  })

  test('shows that only capacity and forecasts are served', async () => {
    const queries = await settledQueries(without, ALL, (list) =>
      expect(servedShares(list, 'sds-node', 4).map((group) => new Set(group))).toEqual(
        Array.from({ length: 4 }, () => new Set([0])),
      ),
    )
    const [capacity = []] = servedShares(queries, 'sds-capacity', 1)
    expect(capacity.length).toBeGreaterThan(0)
    for (const share of capacity) expect(share).toBeGreaterThan(0.5)
  })
})
