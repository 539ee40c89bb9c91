import { describe, expect, test } from 'vitest'
import { buildDashboards } from '../../../grafana/mixin/dashboards/build.ts'
import { ATTRIBUTE_GROUPS } from '../../../grafana/mixin/dashboards/common/pool_data.ts'
import { RECORDINGS } from '../../../grafana/mixin/rules/groups/recording.ts'
import { ATTRIBUTES, COVERAGE_ATTRIBUTES, FORECAST, TRANSACTION_ERRORS } from '../../../src/catalogue.ts'
import { FAMILIES } from '../../../src/metrics/families.ts'
import { RESOURCE_FAMILIES } from '../../../src/system_catalogue.ts'
import { FOREIGN_NAMES, KNOWN_NAMES } from '../promql/known_metrics.ts'
import { metricsOf, parse, selectorsOf } from '../promql/parse.ts'
import { annotationQueries, panelQueries, panelsOf } from './queries.ts'

/** Families that no panel shows, with the reason. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  sds_node_disk_space_allocated_ratio: 'a mean of it would mislead; panels divide sums of bytes',
  sds_node_nic_bytes_per_second: 'the sum of the two directions, which are shown',
  sds_node_nic_utilization_ratio: 'both directions together; the busier one is what saturates, and is shown',
  sds_otlp_exports_total: 'only of exporters that push; an alert compares it',
  sds_otlp_last_success_timestamp_seconds: 'only of exporters that push; the status page shows it',
  sds_pool_disk_space_free_bytes: 'its sum over nodes is shown',
  sds_pool_disk_space_offline_bytes: 'that of the nodes is shown',
  sds_pool_disk_space_reserved_bytes: 'its sum over nodes is shown',
  sds_pool_disk_space_total_bytes: 'its sum over nodes is shown',
  sds_pool_garbage_detected_bytes: 'the sum of pending, unreclaimable and reclaimed garbage',
  sds_pool_info: 'its labels are those of every metric of pools',
  sds_probe_success: 'only of systems that are probed; sds_system_up and sds_pool_up are shown',
  sds_system_poll_interval_seconds: 'of the configuration; alerts on polls follow it',
  sds_system_info: 'has labels of the configuration, whose names dashboards do not know',
}

/** Of documents only: a panel may wait for an answer of a real system. */
const UNPROVEN = new Set(RESOURCE_FAMILIES.filter(({ isUnproven }) => isUnproven).map(({ name }) => name))

const metricsIn = (expr: string): string[] =>
  selectorsOf(parse(expr)).flatMap((selector) => metricsOf(selector, KNOWN_NAMES))

const named = [...panelQueries(), ...annotationQueries()].flatMap(({ expr }) => metricsIn(expr))
const recorded = RECORDINGS.filter(({ record }) => named.includes(record))
/** With the metrics of the recorded series. */
const selected = new Set([...named, ...recorded.flatMap(({ expr }) => metricsIn(expr))])

const isSelected = (family: string): boolean => selected.has(family) || selected.has(`${family}_bucket`)

describe('the dashboards show what the exporter exports', () => {
  test('every family is on a panel, or in the list of exceptions', () => {
    const missing = FAMILIES.map(({ name }) => name).filter(
      (name) => !isSelected(name) && !UNPROVEN.has(name),
    )
    expect(missing.sort()).toEqual(Object.keys(NOT_SHOWN).sort())
  })

  test('every other metric that is listed is used', () => {
    expect(FOREIGN_NAMES.filter((name) => !selected.has(name))).toEqual([])
  })
})

describe('attributes that are not served', () => {
  const matching = (pattern: string): string[] =>
    COVERAGE_ATTRIBUTES.filter((attribute) => new RegExp(`^(?:${pattern})$`).test(attribute))
  const ofCategory = (category: string): string[] =>
    ATTRIBUTES.filter((attribute) => attribute.category === category).map(({ name }) => name)

  /** In no group: the Flux API has a histogram instead. */
  const isMeanLatency = (attribute: string): boolean => attribute.endsWith('Latency')

  test('each group of attributes is a category of the feed, or one attribute', () => {
    expect(matching(ATTRIBUTE_GROUPS.capacity.pattern)).toEqual(ofCategory('capacity'))
    expect(matching(ATTRIBUTE_GROUPS.resources.pattern)).toEqual(ofCategory('health'))
    expect(matching(ATTRIBUTE_GROUPS.transactions.pattern)).toEqual(
      ofCategory('traffic').filter((name) => !isMeanLatency(name)),
    )
    expect(matching(ATTRIBUTE_GROUPS.diskTraffic.pattern)).toEqual(ofCategory('diskIO'))
    expect(matching(ATTRIBUTE_GROUPS.errors.pattern)).toEqual([TRANSACTION_ERRORS.name])
    expect(matching(ATTRIBUTE_GROUPS.forecasts.pattern)).toEqual([FORECAST.name])
  })

  /** Metrics that systems from 3.6 on do not have without the Flux API. */
  const LOST = /sds_node_(cpu|memory|nic|transaction|transactions|disk_read|disk_write)_/

  test('a dashboard whose panels may be empty shows what the system serves', () => {
    const pages = buildDashboards().filter(({ uid }) =>
      panelQueries().some(({ dashboard, expr }) => dashboard === uid && LOST.test(expr)),
    )
    const withOffer = pages.filter((page) => panelsOf(page).some(({ title }) => title === 'Data'))
    const without = pages.filter((page) => !withOffer.includes(page)).map(({ uid }) => uid)
    // The fleet has systems of different versions: its panels have their own texts.
    expect(without).toEqual(['sds-fleet'])
    expect(withOffer.length).toBeGreaterThan(4)
  })

  test('a panel on such attributes only has a text for no data', () => {
    const silent = buildDashboards().flatMap((page) =>
      panelsOf(page)
        // A tile has no room for more than its own “No data”.
        .filter(({ type, targets = [] }) => type !== 'stat' && (type !== 'table' || targets.length === 1))
        .filter(({ targets = [] }) =>
          targets.every((target) => LOST.test(String((target as { expr?: string }).expr))),
        )
        .filter((panel) => !/[Ss]erved/.test(panel.fieldConfig?.defaults.noValue ?? ''))
        .map(({ title }) => `${page.uid} / ${title}`),
    )
    expect(silent).toEqual([])
  })
})
