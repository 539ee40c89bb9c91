import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard'
import * as units from '@grafana/grafana-foundation-sdk/units'
import { describe, expect, test } from 'vitest'
import { buildDashboards } from '../../../mixin/dashboards/build.ts'
import { THRESHOLDS } from '../../../mixin/settings.ts'
import { FAMILIES } from '../../../src/metrics/families.ts'
import { KNOWN_NAMES } from '../promql/known_metrics.ts'
import { metricsOf, parse, resultLabels, selectorsOf } from '../promql/parse.ts'
import { panelsOf, queriesOf } from './queries.ts'

const PANELS = buildDashboards().flatMap((page) =>
  panelsOf(page).map((panel) => ({ where: `${page.uid} / ${panel.title}`, panel })),
)
const ofType = (...types: readonly string[]) => PANELS.filter(({ panel }) => types.includes(panel.type))

interface Options {
  readonly legend?: { readonly showLegend?: boolean; readonly calcs?: readonly string[] }
  readonly reduceOptions?: { readonly calcs: readonly string[] }
}
const optionsOf = (panel: Panel): Options => panel.options as Options

interface Step {
  readonly value: number | null
  readonly color: string
}

const metricsIn = (expr: string): string[] =>
  selectorsOf(parse(expr)).flatMap((selector) => metricsOf(selector, KNOWN_NAMES))

/** A query with the unit that its values have on the panel. */
interface Shown {
  readonly where: string
  readonly expr: string
  readonly unit: string
  readonly min: number | undefined
  readonly max: number | undefined
  readonly soft: number | undefined
}

const property = (panel: Panel, column: string, id: string): unknown =>
  panel.fieldConfig?.overrides
    .find(({ matcher }) => matcher.options === column)
    ?.properties.find((candidate) => candidate.id === id)?.value

/** The heading that a table gives to the answer of a query. */
const heading = (panel: Panel, refId: string): string => {
  const names = panel.transformations?.find(({ id }) => id === 'organize')?.options.renameByName ?? {}
  return names[`Value #${refId}`] ?? names['Value'] ?? ''
}

const shown = ({ where, panel }: { where: string; panel: Panel }): Shown[] =>
  queriesOf(panel).map(({ expr = '', refId = '' }) => {
    const defaults = panel.fieldConfig?.defaults
    const column = panel.type === 'table' ? heading(panel, refId) : ''
    const own = (id: string) => property(panel, column, id)
    return {
      where: `${where} / ${column || refId}`,
      expr,
      unit: String(own('unit') ?? defaults?.unit ?? ''),
      min: (own('min') ?? defaults?.min) as number | undefined,
      max: (own('max') ?? defaults?.max) as number | undefined,
      soft: defaults?.custom?.axisSoftMax as number | undefined,
    }
  })
const SHOWN = PANELS.flatMap(shown)

describe('every panel', () => {
  test.each(PANELS)('$where says what it shows, what is normal and what to do', ({ panel }) => {
    expect(panel.title).toMatch(/^\S.*\S$/)
    const parts = (panel.description ?? '').split('\n\n')
    expect(parts).toHaveLength(3)
    expect(parts[1]).toMatch(/^Normal: /)
    expect(parts[2]).toMatch(/^Otherwise: /)
    for (const part of parts) expect(part).toMatch(/\S\.$/)
    for (const part of parts) expect(part.length).toBeGreaterThan(9)
  })

  test('has a unit that Grafana knows', () => {
    const known = new Set<unknown>(Object.values(units))
    expect(
      SHOWN.filter(({ unit }) => !known.has(unit)).map(({ where, unit }) => `${where}: ${unit}`),
    ).toEqual([])
  })

  test('shows a ratio from 0 to 1', () => {
    const ratios = SHOWN.filter(({ unit }) => unit === 'percentunit')
    expect(ratios.length).toBeGreaterThan(20)
    const full = ratios.filter(({ soft }) => soft === undefined)
    for (const { where, min, max } of full) expect([min, max], where).toEqual([0, 1])
  })

  test('lets a ratio that is small when all is well fill its axis', () => {
    const small = SHOWN.filter(({ soft }) => soft !== undefined)
    expect(small.map(({ where }) => where)).toEqual([
      'sds-node / Failed transactions / A',
      'sds-capacity / Fullest minus emptiest node / A',
      'sds-errors / Failure ratio by pool / A',
    ])
    for (const { where, min, max } of small) expect([min, max], where).toEqual([0, undefined])
  })

  test('never scales what has a unit', () => {
    const scaled = SHOWN.filter(
      ({ unit, expr }) => unit !== 'h' && /[*/] (?:100|1000|1e\d|1024)\b/.test(expr),
    )
    expect(scaled.map(({ where }) => where)).toEqual([])
  })
})

/** Grafana's units by the base unit of a metric; seconds may be told as a duration or as an age. */
const UNITS_OF: Readonly<Record<string, readonly string[]>> = {
  bytes: ['bytes'],
  bytes_per_second: ['Bps'],
  ratio: ['percentunit'],
  seconds: ['s', 'dtdurations'],
  '': ['none', 'reqps', 'ops'],
}

/** What a quotient of two metrics is measured in cannot be read off either of them; their panels are listed. */
const DERIVED: Readonly<Record<string, string>> = {
  'sds-pool / Nodes healthy / A': 'share of nodes',
  'sds-pool / Space used by node / A': 'bytes by bytes',
  'sds-pool / Nodes / Used': 'bytes by bytes',
  'sds-fleet / Fleet space used / A': 'bytes by bytes',
  'sds-fleet / Pools / Used': 'bytes by bytes',
  'sds-pool / Space used / A': 'bytes by bytes',
  'sds-node / Space used / A': 'bytes by bytes',
  'sds-capacity / Space used / A': 'bytes by bytes',
  'sds-capacity / Space used by pool / A': 'bytes by bytes',
  'sds-capacity / Space used over time / A': 'bytes by bytes',
  'sds-capacity / Fullest minus emptiest node / A': 'bytes by bytes',
  'sds-pool / Mean latency / A': 'weighted by transactions',
  'sds-pool / Mean latency / B': 'weighted by transactions',
  'sds-performance / Mean latency now / A': 'weighted by transactions',
  'sds-performance / Mean latency now / B': 'weighted by transactions',
  'sds-performance / Read latency: mean, 95th percentile of nodes, worst node / A':
    'weighted by transactions',
  'sds-performance / Write latency: mean, 95th percentile of nodes, worst node / A':
    'weighted by transactions',
  'sds-performance / Mean bytes per read and per write / A': 'bytes per second by transactions per second',
  'sds-performance / Mean bytes per read and per write / B': 'bytes per second by transactions per second',
  'sds-performance / Background share of disk reads / A': 'bytes per second by bytes per second',
  'sds-disks / Share of disk reads that serves users / A': 'bytes per second by bytes per second',
  'sds-disks / Recovery running / A': 'bytes per second compared with a limit: yes or no',
  'sds-disks / Hours of recovery in the last day / A': 'hours in which that was so',
  'sds-errors / Failed transactions / A': 'transactions by transactions',
  'sds-errors / System errors / A': 'transactions by transactions',
  'sds-errors / User errors / A': 'transactions by transactions',
  'sds-errors / Failure ratio by pool / A': 'transactions by transactions',
  'sds-exporter / Pool poll ok / A': 'the time of a poll chooses the name only',
  'sds-exporter / Age of the data / Last poll': 'the time of a poll chooses the name only',
  'sds-exporter / Age of the data / Nodes': 'the time of a poll chooses the name only',
  'sds-exporter / Versions / Running for': 'times an info metric, which is 1',
}

describe('units', () => {
  const baseUnit = new Map(
    FAMILIES.flatMap(({ name, unit }) => [name, `${name}_bucket`].map((key) => [key, unit])),
  )

  test('agree with the unit of the metric, everywhere', () => {
    const plain = SHOWN.filter(({ where }) => !(where in DERIVED) && !where.includes('Feed offers'))
    const wrong = plain.flatMap(({ where, expr, unit }) =>
      metricsIn(expr)
        .filter((name) => baseUnit.has(name) && name !== 'sds_pool_info')
        .filter((name) => !UNITS_OF[baseUnit.get(name) ?? '']?.includes(unit))
        .map((name) => `${where}: ${name} in ${unit}`),
    )
    expect(wrong).toEqual([])
  })

  test('are the same on all panels of one metric', () => {
    const seen = new Map<string, Map<string, string>>()
    for (const { where, expr, unit } of SHOWN.filter(({ where }) => !(where in DERIVED))) {
      const names = [...new Set(metricsIn(expr))]
      const [only] = names
      if (names.length !== 1 || only === undefined) continue
      const list = seen.get(only) ?? new Map<string, string>()
      seen.set(only, list.set(unit, where))
    }
    const several = [...seen]
      .filter(([, list]) => list.size > 1)
      .map(([name, list]) => [name, ...list.keys()])
    expect(several).toEqual([])
    expect(seen.size).toBeGreaterThan(40)
  })

  test('of quotients are listed only for panels that exist', () => {
    const places = new Set(SHOWN.map(({ where }) => where))
    expect(Object.keys(DERIVED).filter((place) => !places.has(place))).toEqual([])
  })
})

describe('time series', () => {
  test.each(ofType('timeseries'))('$where has a legend, a common tooltip and shows gaps', ({ panel }) => {
    expect(optionsOf(panel).legend).toMatchObject({ showLegend: true, calcs: ['mean', 'lastNotNull', 'max'] })
    expect(panel.options.tooltip).toEqual({ mode: 'multi', sort: 'desc' })
    expect(panel.fieldConfig?.defaults.custom).toMatchObject({
      lineWidth: 1,
      spanNulls: false,
      showPoints: 'never',
    })
  })

  test('are stacked only where the unit adds up', () => {
    const stacked = ofType('timeseries').filter(({ panel }) => panel.fieldConfig?.defaults.custom.stacking)
    expect(stacked.length).toBeGreaterThan(5)
    for (const { panel, where } of stacked) {
      expect(['Bps', 'bytes', 'none', 'ops'], where).toContain(panel.fieldConfig?.defaults.unit)
    }
  })
})

test('figures, dials, bars and pies have something to show: the last value', () => {
  for (const { panel, where } of ofType('stat', 'gauge', 'bargauge', 'piechart')) {
    expect(optionsOf(panel).reduceOptions?.calcs, where).toEqual(['lastNotNull'])
  }
})

test('figures vanish with their series: they ask for now, except where a course is drawn behind them', () => {
  const ranged = ofType('stat', 'gauge', 'bargauge', 'piechart')
    .filter(({ panel }) => queriesOf(panel).some(({ instant }) => !instant))
    .map(({ where }) => where)
  expect(ranged).toEqual(['sds-pool / Transactions per second'])
})

test('state timelines show gaps, and words instead of numbers', () => {
  const timelines = ofType('state-timeline')
  expect(timelines).toHaveLength(6)
  for (const { panel, where } of timelines) {
    expect(panel.fieldConfig?.defaults.custom.spanNulls, where).toBe(false)
    expect(panel.fieldConfig?.defaults.mappings, where).not.toEqual([])
  }
})

/** `topk by (…)` takes one of each group, which is no choice of the top few. */
test('a panel that shows the top few says so in its title', () => {
  const few = PANELS.filter(({ panel }) =>
    queriesOf(panel).some(({ expr }) => /(topk|bottomk)\(/.test(expr ?? '')),
  )
  expect(few.length).toBeGreaterThan(5)
  for (const { panel, where } of few) expect(panel.title, where).toContain('$topn')
})

describe('tables', () => {
  const TABLES = ofType('table')

  test('can be filtered', () => {
    for (const { panel, where } of TABLES) {
      expect(panel.fieldConfig?.defaults.custom.filterable, where).toBe(true)
    }
  })

  test.each(TABLES)('$where joins answers that have the same labels', ({ panel }) => {
    const queries = queriesOf(panel)
    const labels = queries.map(({ expr = '' }) => [...(resultLabels(parse(expr)) ?? [])].sort())
    for (const other of labels) expect(other).toEqual(labels[0])
    for (const { format, instant } of queries) expect([format, instant]).toEqual(['table', true])
  })

  test('put a heading on every value and an order on every column', () => {
    for (const { panel, where } of TABLES) {
      const organize = panel.transformations?.find(({ id }) => id === 'organize')
      if (!organize) {
        expect(
          panel.transformations?.map(({ id }) => id),
          where,
        ).toEqual(['groupingToMatrix'])
        continue
      }
      const { excludeByName, indexByName, renameByName } = organize.options
      expect(excludeByName, where).toEqual({ Time: true })
      const labels = [...(resultLabels(parse(queriesOf(panel)[0]?.expr ?? '')) ?? [])]
      expect(Object.keys(indexByName), where).toEqual(
        expect.arrayContaining([...labels, ...Object.keys(renameByName)]),
      )
      const headings = new Set<unknown>([...labels, ...Object.values(renameByName)])
      const named = panel.fieldConfig?.overrides.map(({ matcher }) => matcher.options) ?? []
      expect(
        named.filter((name) => !headings.has(name)),
        where,
      ).toEqual([])
    }
  })

  test('use the cells that Grafana 9.4 knows', () => {
    const modes = TABLES.flatMap(({ panel }) =>
      (panel.fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
        properties.filter(({ id }) => id === 'custom.displayMode').map(({ value }) => value),
      ),
    )
    expect(new Set(modes)).toEqual(new Set(['color-background-solid', 'color-text', 'lcd-gauge']))
  })
})

describe('thresholds', () => {
  /** The marks of a panel or column that turn yellow or red. */
  const marks = (steps: readonly Step[] = []): number[] =>
    steps.filter(({ color }) => color === 'yellow' || color === 'red').flatMap(({ value }) => value ?? [])

  const settings = new Set<number>(
    Object.values(THRESHOLDS).flatMap(({ warning, critical }) => [warning, critical]),
  )
  /** "More than none" is no threshold that anybody would tune. */
  const MORE_THAN_NONE = [1]

  test('come from the settings that the alert rules use', () => {
    const all = PANELS.flatMap(({ panel }) => [
      ...marks(panel.fieldConfig?.defaults.thresholds?.steps),
      ...(panel.fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
        properties.filter(({ id }) => id === 'thresholds').flatMap(({ value }) => marks(value.steps)),
      ),
    ])
    expect(all.length).toBeGreaterThan(50)
    expect(all.filter((mark) => !settings.has(mark) && !MORE_THAN_NONE.includes(mark))).toEqual([])
  })

  /** The row of the settings that belongs to a metric, wherever a panel colours its value. */
  const ROWS: Readonly<Record<string, keyof typeof THRESHOLDS>> = {
    sds_node_cpu_utilization_ratio: 'cpuRatio',
    sds_node_memory_utilization_ratio: 'memoryRatio',
    sds_node_nic_received_utilization_ratio: 'nicRatio',
    sds_node_nic_transmitted_utilization_ratio: 'nicRatio',
    sds_node_transaction_read_latency_seconds: 'latencySeconds',
    sds_node_transaction_write_latency_seconds: 'latencySeconds',
    sds_node_transaction_errors_ratio: 'errorRatio',
    sds_node_sample_timestamp_seconds: 'sampleAgeSeconds',
    sds_node_capacity_forecast_seconds: 'forecastSeconds',
    sds_pool_last_success_timestamp_seconds: 'pollAgeSeconds',
    sds_system_tls_not_after_timestamp_seconds: 'certificateSeconds',
    nodejs_eventloop_lag_p99_seconds: 'eventLoopLagSeconds',
  }

  test('of a metric are those of its row, on every panel and in every column', () => {
    const colored = PANELS.flatMap(({ where, panel }) =>
      queriesOf(panel).map(({ expr = '', refId = '' }) => {
        const own = property(panel, heading(panel, refId), 'thresholds') as { steps: Step[] } | undefined
        const found = marks((own ?? panel.fieldConfig?.defaults.thresholds)?.steps)
        return { where: `${where} / ${refId}`, row: ROWS[metricsIn(expr)[0] ?? ''], found }
      }),
    ).filter(({ row, found }) => row !== undefined && found.length > 0)
    expect(new Set(colored.map(({ row }) => row)).size).toBe(new Set(Object.values(ROWS)).size)
    for (const { where, row, found } of colored) {
      const { warning, critical } = THRESHOLDS[row ?? 'usedRatio']
      // Where lower is worse, the green begins at the warning and the red has no lower end.
      expect(found, where).toEqual(warning < critical ? [warning, critical] : [critical])
    }
  })

  test('are the same wherever used space is shown', () => {
    const used = PANELS.filter(({ panel }) => /^(Fleet s|S)pace used/.test(panel.title ?? ''))
    expect(used.length).toBeGreaterThan(5)
    for (const { panel, where } of used) {
      expect(marks(panel.fieldConfig?.defaults.thresholds?.steps), where).toEqual([0.8, 0.9])
    }
  })

  test('start at minus infinity and grow', () => {
    for (const { panel, where } of PANELS) {
      const [first, ...more] = panel.fieldConfig?.defaults.thresholds?.steps.map(({ value }) => value) ?? []
      expect(first, where).toBeNull()
      expect(more, where).toEqual(more.toSorted((a, b) => Number(a) - Number(b)))
    }
  })
})
