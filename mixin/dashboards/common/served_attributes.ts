import { SERVED_MAPPINGS } from '../../grafana/mappings.ts'
import type { Query, SizedPanel, Step } from '../../grafana/spec.ts'
import { stat } from '../../grafana/stat.ts'
import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { dedup, ratio, sum } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { POLLED_POOL_KEY } from '../../settings.ts'

/**
 * Groups of attributes that systems serve or lack together, as patterns of attribute names. Mean latencies are in no
 * group: the query interface has a histogram instead.
 */
export const ATTRIBUTE_GROUPS = {
  capacity: { text: 'Capacity', pattern: 'diskSpace.+' },
  resources: { text: 'CPU, memory, network', pattern: 'node.+' },
  transactions: { text: 'Transactions', pattern: 'transaction(Read|Write)(Bandwidth|Transactions).*' },
  errors: { text: 'Transaction errors', pattern: 'transactionErrors' },
  diskTraffic: { text: 'Disk traffic', pattern: 'disk(Read|Write)Bandwidth.+' },
  forecasts: { text: 'Forecasts', pattern: 'allocatedCapacityForecast' },
} as const
type AttributeGroup = keyof typeof ATTRIBUTE_GROUPS

const KEY = [...POLLED_POOL_KEY, 'attribute', 'state'] as const

const nodes = (pattern: string, ...matchers: readonly Matcher[]): Expression => {
  const attributes = select('sds_pool_attribute_nodes', ...SCOPE.pool, `attribute=~"${pattern}"`, ...matchers)
  return sum(dedup(KEY, attributes))
}

/** Share of nodes and attributes that are served; 0, not empty, where none is. */
const served = (pattern: string): Expression => {
  const all = nodes(pattern)
  return ratio(promql`(${nodes(pattern, 'state="served"')} or 0 * ${all})`, all)
}

const query = (group: AttributeGroup): Query => ({
  expr: served(ATTRIBUTE_GROUPS[group].pattern),
  legend: ATTRIBUTE_GROUPS[group].text,
})

/** Some releases do not serve single attributes, so a partial share is no warning. */
const PARTLY: readonly Step[] = [
  { value: null, color: 'text' },
  { value: 0.000001, color: 'blue' },
  { value: 1, color: 'green' },
]

/** Text of an empty panel that depends on attributes which not all systems serve. */
export const NO_DATA = 'No data: see “Served attributes”'

/** Distinguishes attributes that a system does not serve from missing data. */
export const servedAttributes = (groups: readonly AttributeGroup[], width: number): SizedPanel =>
  stat({
    title: 'Served attributes',
    about: [
      'Groups of attributes that the selected pools served in the last successful poll, in the nodes feed or the query interface, as a share of nodes and attributes.',
      'Served. Systems from 3.6 on serve CPU, memory, network, transactions and disk traffic in the query interface only. “not served by this system” is no fault of a system without it, such as the Community Edition: the panels that need them are empty.',
      '“not served” on a system with the query interface: see “Query interface” on the exporter dashboard. A percentage means that single attributes are not served, or not by all nodes: see “Attribute coverage” there. “No poll yet” means that no poll of the pool succeeded: see the exporter dashboard.',
    ],
    queries: groups.map(query),
    unit: 'percentunit',
    decimals: 0,
    mappings: SERVED_MAPPINGS,
    steps: PARTLY,
    noValue: 'No poll yet',
    width,
  })
