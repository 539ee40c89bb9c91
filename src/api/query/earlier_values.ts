import {
  LATENCY_IDS,
  type LatencyOperation,
  type MeasurementName,
  QUERY_ATTRIBUTES,
  type QueryAttribute,
} from '../../query_catalogue.ts'
import {
  MAX_AGE_SECONDS,
  type NodePerformance,
  type PerformanceReading,
  withoutOlderThan,
} from './performance.ts'
import type { Query } from './queries.ts'

/** The reading with values of the reading before, as far as the queries for them failed. Both are of one system. */
export function withEarlier(
  reading: PerformanceReading,
  before: PerformanceReading | undefined,
  failed: readonly Query[],
): PerformanceReading {
  if (before === undefined || failed.length === 0 || reading.stop === undefined) return reading
  const keyOf = ({ nodeId, host }: NodePerformance) => nodeId ?? `host ${host}`
  const earlier = new Map(before.nodes.map((node) => [keyOf(node), restrictedTo(failed, node)]))
  const known = reading.nodes.map((node) => merged(node, earlier.get(keyOf(node))))
  for (const node of reading.nodes) earlier.delete(keyOf(node))
  const all = { ...reading, nodes: [...known, ...earlier.values()] }
  return withoutOlderThan(all, reading.stop - MAX_AGE_SECONDS)
}

/** The values of a node for which one of the queries asks. */
function restrictedTo(queries: readonly Query[], node: NodePerformance): NodePerformance {
  const asks = (measurement: MeasurementName, tag?: string) =>
    queries.some(({ selections }) =>
      selections.some((one) => one.measurement === measurement && (one.tags?.['id'] ?? tag) === tag),
    )
  const attributes = QUERY_ATTRIBUTES.filter((attribute) => queries.some((query) => isFor(attribute, query)))
  const names = new Set(attributes.map(({ name }) => name))
  const isAsked = ([operation]: readonly [LatencyOperation, unknown]) =>
    asks('latency', LATENCY_IDS[operation])
  return {
    ...node,
    rows: 0,
    values: new Map([...node.values].filter(([name]) => names.has(name))),
    errors: asks('transactions') || asks('errors') || asks('errorCodes') ? node.errors : undefined,
    latencies: new Map([...node.latencies].filter(isAsked)),
    interfaces: asks('network') ? node.interfaces : [],
  }
}

function isFor({ source }: QueryAttribute, { selections }: Query): boolean {
  if (source.kind === 'network') return selections.some(({ measurement }) => measurement === 'network')
  const id = source.kind === 'rate' ? source.tags?.['id'] : undefined
  return selections.some(
    ({ measurement, fields, tags }) =>
      measurement === source.measurement &&
      (fields === undefined || fields.some((field) => source.fields.includes(field))) &&
      (tags?.['id'] ?? id) === id,
  )
}

function merged(node: NodePerformance, earlier: NodePerformance | undefined): NodePerformance {
  if (earlier === undefined) return node
  return {
    ...node,
    values: new Map([...earlier.values, ...node.values]),
    errors: earlier.errors ?? node.errors,
    latencies: new Map([...earlier.latencies, ...node.latencies]),
    interfaces: node.interfaces.length > 0 ? node.interfaces : earlier.interfaces,
  }
}
