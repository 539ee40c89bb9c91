import { type CoverageAttribute, TRANSACTION_ERRORS } from '../../catalogue.ts'
import type { SystemConfig } from '../../config/config.ts'
import { type LatencyOperation, QUERY_ATTRIBUTES, type QueryAttributeName } from '../../query_catalogue.ts'
import { memoizeWeak } from '../../values/cache.ts'
import type { Coverage, FeedReading, NodeReading } from '../feed/feed.ts'
import type { InterfaceTraffic } from './values/interfaces.ts'
import type { LatencyHistogram, NodePerformance } from './values/performance.ts'

/** A node of the feed, with what only the Flux API has of it. */
export interface MergedNode extends NodeReading {
  readonly latencies?: ReadonlyMap<LatencyOperation, LatencyHistogram>
  readonly interfaces?: readonly InterfaceTraffic[]
}

/** A feed, with attributes that it lacks taken from the Flux API. */
export interface MergedReading extends Pick<FeedReading, 'coverage'> {
  readonly nodes: readonly MergedNode[]
  /** The attributes of the Flux API. The others are those of the feed. */
  readonly queried: ReadonlySet<CoverageAttribute>
}

export type QueriedAttribute = QueryAttributeName | typeof TRANSACTION_ERRORS.name
/** The attributes that the Flux API may have. */
export const QUERIED: readonly QueriedAttribute[] = [
  ...QUERY_ATTRIBUTES.map(({ name }) => name),
  TRANSACTION_ERRORS.name,
]

/** The attributes that a feed serves on no node, not even unreadable, and that the Flux API may have. */
export function missingAttributes({ coverage }: Pick<FeedReading, 'coverage'>): readonly QueriedAttribute[] {
  return QUERIED.filter((name) => {
    const counts = coverage.get(name)
    return (counts?.served ?? 0) + (counts?.unreadable ?? 0) === 0
  })
}

/** Whether a feed with nodes serves none of the attributes that the Flux API may have. */
export function lacksPerformance(feed: FeedReading): boolean {
  return feed.nodes.length > 0 && missingAttributes(feed).length === QUERIED.length
}

/** Whether the feed has none of the attributes for this node, as after its upgrade while other nodes wait for theirs. */
function isUpgraded({ values, errors }: NodeReading): boolean {
  return errors === undefined && QUERY_ATTRIBUTES.every(({ name }) => values.get(name) === undefined)
}

/** Whether a feed lacks performance values for which the Flux API is polled: a node that is down has none, too. */
export function needsQueries(feed: FeedReading): boolean {
  return lacksPerformance(feed) || feed.nodes.some((node) => node.health === 'Good' && isUpgraded(node))
}

/**
 * Whether the Flux API of a system is polled: with `performance.source: auto` only if the feed of a pool has no
 * performance values, or none of an upgraded node. Undefined while no feed with nodes is known.
 */
export function isQueried(
  { performance: { source } }: Pick<SystemConfig, 'performance'>,
  pools: ReadonlyMap<string, { readonly reading?: FeedReading | undefined }> | undefined,
): boolean | undefined {
  if (source !== 'auto') return source === 'query'
  const known = [...(pools?.values() ?? [])].flatMap(({ reading }) => reading ?? [])
  const feeds = known.filter(({ nodes }) => nodes.length > 0)
  return feeds.length === 0 ? undefined : feeds.some(needsQueries)
}

/**
 * The feed of one pool with the performance of its nodes. An attribute has one source for all nodes of a release: that of
 * the feed, unless the feed serves it on no node.
 * @param find undefined: nothing was read from the Flux API
 */
export function mergePerformance(feed: FeedReading, find: Join<NodePerformance> | undefined): MergedReading {
  const { coverage } = feed
  if (find === undefined) return { nodes: feed.nodes, coverage, queried: new Set() }
  const missing = new Set(missingAttributes(feed))
  const readable = new Set(QUERIED.filter((name) => (coverage.get(name)?.unreadable ?? 0) === 0))
  const nodes = feed.nodes.map((node) => {
    const found = find(node)
    return found === undefined ? node : mergeNode(node, found, isUpgraded(node) ? readable : missing)
  })
  return { nodes, coverage: mergeCoverage(coverage, nodes, readable), queried: missing }
}

/** A node in the answers of the Flux API, and what is known of it. */
type QueriedNode = Pick<NodePerformance, 'nodeId' | 'host' | 'rows'>
type FedNode = Pick<NodeReading, 'id' | 'name'>

/** Finds what the Flux API has of a node of a feed; undefined if it has nothing. */
export type Join<T> = (node: FedNode) => T | undefined

/** What was read of a pool. */
interface Fed {
  readonly nodes: readonly FedNode[]
}

/**
 * Finds what belongs to a node by its id, else by its name if only this node has it. Both are compared without case.
 * What has the id of another node is not found by a name.
 * @param feeds of all pools of the system
 */
export function createJoin<T extends QueriedNode>(nodes: readonly T[], feeds: readonly Fed[]): Join<T> {
  const { byId, byHost } = queriedIndex(nodes)
  const fed = feeds.map((feed) => fedIndex(feed.nodes))
  const isFed = ({ nodeId }: T) => nodeId !== undefined && fed.some(({ ids }) => ids.has(lowered(nodeId)))
  return ({ id, name }) => {
    const known = byId.get(lowered(id)) as T | undefined
    if (known !== undefined || name === undefined) return known
    const host = lowered(name)
    const uses = fed.reduce((sum, { names }) => sum + (names.get(host) ?? 0), 0)
    return uses === 1 ? (byHost.get(host) as T[] | undefined)?.findLast((node) => !isFed(node)) : undefined
  }
}

const lowered = (text: string | undefined) => text?.toLowerCase()

/** Every poll of a pool joins its nodes with those of the whole system, so both are indexed once for each reading. */
const queriedIndex = memoizeWeak((nodes: readonly QueriedNode[]) => ({
  byId: new Map(nodes.map((node) => [lowered(node.nodeId), node])),
  byHost: Map.groupBy(nodes, ({ host }) => lowered(host)),
}))

const fedIndex = memoizeWeak((nodes: readonly FedNode[]) => {
  const names = new Map<string | undefined, number>()
  for (const { name } of nodes) names.set(lowered(name), (names.get(lowered(name)) ?? 0) + 1)
  return { ids: new Set(nodes.map(({ id }) => lowered(id))), names }
})

function mergeNode(
  node: NodeReading,
  performance: NodePerformance,
  missing: ReadonlySet<CoverageAttribute>,
): MergedNode {
  const { latencies, interfaces } = performance
  const values = [...performance.values].filter(([name]) => missing.has(name))
  const errors = missing.has(TRANSACTION_ERRORS.name) ? errorsOf(performance) : node.errors
  return { ...node, values: new Map([...node.values, ...values]), errors, latencies, interfaces }
}

function errorsOf({ transactions, errorTypes }: NodePerformance): MergedNode['errors'] {
  if (transactions === undefined && errorTypes === undefined) return undefined
  const { all, succeeded, failed } = transactions ?? {}
  return { all, succeeded, failed, types: errorTypes?.types ?? [] }
}

function mergeCoverage(
  coverage: FeedReading['coverage'],
  nodes: readonly MergedNode[],
  readable: ReadonlySet<QueriedAttribute>,
): FeedReading['coverage'] {
  const merged = new Map<CoverageAttribute, Readonly<Coverage>>(coverage)
  for (const name of readable) {
    const has = (node: MergedNode) =>
      name === TRANSACTION_ERRORS.name ? node.errors !== undefined : node.values.get(name) !== undefined
    const served = nodes.filter(has).length
    merged.set(name, { served, absent: nodes.length - served, unreadable: 0 })
  }
  return merged
}

/** Number of rows that are joined to no node of the feeds of a system. */
export function unmatchedRows(
  performance: { readonly nodes: readonly QueriedNode[] },
  feeds: readonly Fed[],
): number {
  const find = createJoin(performance.nodes, feeds)
  const joined = new Set(feeds.flatMap(({ nodes }) => nodes.map(find)))
  return performance.nodes.reduce((rows, node) => (joined.has(node) ? rows : rows + node.rows), 0)
}
