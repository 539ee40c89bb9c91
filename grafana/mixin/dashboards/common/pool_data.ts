import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { sampleAge } from '../../promql/nodes.ts'
import { dedup, ratio, sumByPool } from '../../promql/operators.ts'
import { dataCode, failureReason, lastPollAge } from '../../promql/pools.ts'
import { SCOPE } from '../../promql/scope.ts'
import { rowToPool } from '../../sdk/links.ts'
import { DATA_MAPPINGS, SERVED_MAPPINGS } from '../../sdk/mappings.ts'
import { type About, type SizedPanel, steps } from '../../sdk/spec.ts'
import { type Column, table } from '../../sdk/table.ts'
import { POLLED_POOL_KEY, POOL_KEY, THRESHOLDS } from '../../settings.ts'

/**
 * Groups of attributes that systems serve or lack together, as patterns of attribute names. Mean latencies are in no
 * group: the Flux API has a histogram instead.
 */
export const ATTRIBUTE_GROUPS = {
  capacity: { text: 'Capacity', pattern: 'diskSpace.+' },
  /** CPU, memory and network. */
  resources: { text: 'Resources', pattern: 'node.+' },
  transactions: { text: 'Transactions', pattern: 'transaction(Read|Write)(Bandwidth|Transactions).*' },
  errors: { text: 'Errors', pattern: 'transactionErrors' },
  diskTraffic: { text: 'Disk traffic', pattern: 'disk(Read|Write)Bandwidth.+' },
  forecasts: { text: 'Forecasts', pattern: 'allocatedCapacityForecast' },
} as const
type AttributeGroup = keyof typeof ATTRIBUTE_GROUPS

const KEY = [...POLLED_POOL_KEY, 'attribute', 'state'] as const

const nodes = (pattern: string, ...matchers: readonly Matcher[]): Expression => {
  const attributes = select('sds_pool_attribute_nodes', ...SCOPE.pool, `attribute=~"${pattern}"`, ...matchers)
  return sumByPool(dedup(KEY, attributes))
}

/** Share of nodes and attributes that are served; 0, not empty, where none is. */
const served = (pattern: string): Expression => {
  const all = nodes(pattern)
  return ratio(promql`(${nodes(pattern, 'state="served"')} or 0 * ${all})`, all)
}

const servedColumn = (group: AttributeGroup): Column => ({
  title: ATTRIBUTE_GROUPS[group].text,
  expr: served(ATTRIBUTE_GROUPS[group].pattern),
  unit: 'percentunit',
  decimals: 0,
  mappings: SERVED_MAPPINGS,
})

/** Text of an empty panel, where systems may not serve what it shows. */
export const NO_DATA = 'Not served, or no data: see “Data”'
/** Text of an empty panel that reads recorded series. */
export const NO_RECORDED_DATA = 'Not served, no data (see “Data”), or no recording rules'

interface PoolTable extends About {
  readonly title: string
  readonly columns: readonly Column[]
  readonly scope: readonly Matcher[]
  readonly height: number
}

/** One line for each pool: since when and why there is no data. */
export const poolTable = ({ columns, scope, ...panel }: PoolTable): SizedPanel =>
  table({
    ...panel,
    rows: POOL_KEY,
    columns: [
      { title: 'State', expr: dataCode(scope), mappings: DATA_MAPPINGS },
      {
        title: 'Poll age',
        expr: lastPollAge(scope),
        unit: 's',
        decimals: 0,
        steps: steps(THRESHOLDS.pollAgeSeconds),
      },
      {
        title: 'Sample age',
        expr: sampleAge(POOL_KEY, scope),
        unit: 's',
        decimals: 0,
        steps: steps(THRESHOLDS.sampleAgeSeconds),
      },
      ...columns,
    ],
    texts: [{ title: 'Reason', label: 'result', expr: failureReason(scope) }],
    cellLinks: { pool: rowToPool },
    sortBy: 'State',
    noValue: 'No pool was reported within a day',
  })

/** The data of the selected pools, and which groups of attributes they serve. */
export const poolData = (groups: readonly AttributeGroup[]): SizedPanel =>
  poolTable({
    title: 'Data',
    shows:
      'The selected pools that were reported within a day: whether their data is current, why the last poll failed, the time since the last successful poll, the age of the newest sample of the node that is furthest behind, and the groups of attributes that they serve in the dashboard API or the Flux API. Resources are CPU, memory and network.',
    normal:
      'Current, last polled up to two minutes ago, with samples of up to ten minutes, or 12 minutes from the Flux API. “not served” is no fault of a system without the Flux API, such as the Community Edition: the panels that need the attributes are empty.',
    otherwise:
      'Polls fail: see the exporter dashboard. Not reported: no exporter has the pool any more, because it was removed, or its exporter does not run. Old samples: the collector of the storage system has stopped. “not served” on a system with the Flux API: see “Flux API” on the exporter dashboard. A percentage means that single attributes are not served, or not by all nodes: see “Attribute coverage” there.',
    columns: groups.map(servedColumn),
    scope: SCOPE.pool,
    height: 4,
  })
