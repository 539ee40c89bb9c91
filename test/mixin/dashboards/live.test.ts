import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Selection, substitute } from '../../../mixin/promql/selection.ts'
import { type Child, startProcess } from '../../support/processes.ts'
import { type Prometheus, type Sample, startPrometheus } from '../../support/prometheus.ts'
import { waitFor } from '../../support/wait.ts'
import { ALL, annotationQueries, type PanelQuery, panelQueries } from './queries.ts'

const START_TIMEOUT_MS = 60_000
const READY = 'count(rate(sds_api_requests_total[4m]))'

/** A pair of exporters of one system, and one of a newer system that serves less, each with its Prometheus. */
let demos: Child[]
let full: Prometheus
let newer: Prometheus
let exporters: string[]

/** Starts a demo and answers with the address that it serves metrics on. */
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

const scrape = (targets: readonly string[]): Promise<Prometheus> =>
  startPrometheus({
    config: {
      scrape_configs: [
        { job_name: 'sds-exporter', scrape_interval: '1s', static_configs: [{ targets: [...targets] }] },
      ],
    },
  })

beforeAll(async () => {
  const started = await Promise.all([
    startDemo('--profile=classic', '--scenario=disk-failures'),
    startDemo('--profile=classic', '--scenario=disk-failures'),
    startDemo('--profile=modern'),
  ])
  demos = started.map(({ demo }) => demo)
  const [one = '', other = '', modern = ''] = started.map(({ address }) => address)
  exporters = [one, other]
  full = await scrape(exporters)
  newer = await scrape([modern])
  await full.waitForSamples(
    `${READY} > 0 and count(count by (instance) (sds_node_capacity_forecast_available)) == 2`,
  )
  await newer.waitForSamples(`${READY} > 0 and count(sds_node_info) > 0`)
}, 3 * START_TIMEOUT_MS)
afterAll(async () => {
  await Promise.all([full?.stop(), newer?.stop()])
  await Promise.all((demos ?? []).map((demo) => demo.stop()))
})

/** Panels that rightly find nothing here, each with the reason. */
const RIGHTLY_EMPTY: Readonly<Record<string, string>> = {
  'sds-fleet / Alerts firing now': 'no rules are loaded',
  'sds-disks / Hours of recovery in the last day': 'looks at every fifth minute, and a test is shorter',
  'sds-exporter / Upstream certificate expires in': 'the demo speaks plain HTTP',
  'sds-exporter / Request duration, 95th percentile': 'polls come once a minute, a test is shorter',
  'sds-exporter / Failed polls by reason': 'no poll fails',
  'sds-exporter / Failed logins': 'no login fails',
  'sds-exporter / Rejected values': 'the emulator serves no unreadable value',
}

/** What a newer system does not serve, by the beginning of the family's name. */
const LOST = /sds_node_(cpu|memory|nic|transaction|transactions|disk_read|disk_write)_/

const place = ({ dashboard, panel }: PanelQuery): string => `${dashboard} / ${panel}`

interface Asked {
  readonly where: string
  readonly expr: string
  readonly samples: readonly Sample[]
}

/** Asks every query of every panel as Grafana would; a refused one is an error that shows it. */
const askAll = (prometheus: Prometheus, selection: Selection): Promise<Asked[]> =>
  Promise.all(
    panelQueries().map(async (query) => {
      const expr = substitute(query.expr, selection)
      return { where: place(query), expr, samples: await prometheus.query(expr) }
    }),
  )

const emptyPlaces = (list: readonly Asked[]): string[] => {
  const found = new Set(list.filter(({ samples }) => samples.length > 0).map(({ where }) => where))
  return [...new Set(list.map(({ where }) => where))].filter((where) => !found.has(where))
}

describe('every panel, asked of a real Prometheus that scrapes a pair of exporters', () => {
  const SELECTIONS: readonly { what: string; selection: Selection }[] = [
    { what: 'All', selection: ALL },
    { what: 'one pool', selection: { system: ['demo'], pool: ['hot'] } },
    { what: 'one node', selection: { system: ['demo'], pool: ['hot'], node: ['hot-node-01'] } },
  ]

  test.each(SELECTIONS)('finds something for $what, and numbers only', async ({ selection }) => {
    const asked = await askAll(full, { instance: exporters, ...selection })
    expect(emptyPlaces(asked).filter((where) => !(where in RIGHTLY_EMPTY))).toEqual([])
    const wrong = asked.filter(({ samples }) => samples.some(({ value }) => !Number.isFinite(value)))
    expect(wrong.map(({ where, expr }) => `${where}: ${expr}`)).toEqual([])
  })

  test('counts each node once', async () => {
    const asked = await askAll(full, { instance: exporters })
    const counts = asked.filter(({ where }) => where === 'sds-fleet / Nodes by state')
    const nodes = counts.flatMap(({ samples }) => samples).reduce((sum, { value }) => sum + value, 0)
    expect(nodes).toBe(6)
  })

  test('can be marked with every annotation', async () => {
    for (const { expr } of annotationQueries()) await full.query(substitute(expr))
  })
})

describe('every panel, asked of a newer system', () => {
  test('is empty only where the system does not serve what it is about', async () => {
    const asked = await askAll(newer, ALL)
    const unexplained = emptyPlaces(asked).filter((where) => {
      const exprs = asked.filter((one) => one.where === where).map(({ expr }) => expr)
      return !(where in RIGHTLY_EMPTY) && !exprs.every((expr) => LOST.test(expr))
    })
    // No disk failed in this one, so there is no enclosure to walk to.
    expect(unexplained).toEqual(['sds-disks / Nodes with disks to repair'])
    expect(emptyPlaces(asked).length).toBeGreaterThan(20)
  })

  test('says so: nothing but capacity and forecasts is served', async () => {
    const offers = (await askAll(newer, ALL)).filter(({ where }) => where === 'sds-node / Feed offers')
    expect(offers.map(({ samples }) => samples[0]?.value)).toEqual([0, 0, 0, 0])
    const [capacity] = (await askAll(newer, ALL)).filter(
      ({ where }) => where === 'sds-capacity / Feed offers',
    )
    expect(capacity?.samples[0]?.value).toBeGreaterThan(0.5)
  })
})
