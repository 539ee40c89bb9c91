import { forecastCoverage } from '../api/feed/feed.ts'
import type { Coverage } from '../api/feed/node_reading.ts'
import type { FindHardware } from '../api/resources/hardware.ts'
import {
  ATTRIBUTES,
  CATEGORIES,
  type Category,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  FORECAST,
  TRANSACTION_ERRORS,
} from '../catalogue.ts'
import { newestTimes, uniqueNames } from '../metrics/samples.ts'
import type { PoolState } from '../state/state.ts'
import { DISK_NAMES, ratioOf, sumOfKnown } from './figures/node_figures.ts'
import { type ReadFigures, readFigures } from './figures/pool_figures.ts'
import { type NodeStatus, nodeStatus, worstFirst } from './node_status.ts'

/** What follows from the reading of a pool alone, whatever the time is. */
export interface PoolDetail {
  /** The worst first. */
  readonly nodes: readonly NodeStatus[]
  readonly totals: TotalStatus
  readonly figures: ReadFigures
  readonly attributes: readonly AttributeStatus[]
  /** Newest sample and sources of each category. */
  readonly categories: readonly {
    readonly category: Category
    readonly sources: readonly Source[]
    readonly newest: number | undefined
  }[]
}

export type PoolDetails = (pool: PoolState, hardwareOf: FindHardware) => PoolDetail

/** Calculates the details of pools, and keeps them as long as the state of the pool. */
export function createPoolDetails(): PoolDetails {
  const details = new WeakMap<PoolState, PoolDetail>()
  return (pool, hardwareOf) => {
    const known = details.get(pool) ?? calculateDetail(pool, hardwareOf)
    details.set(pool, known)
    return known
  }
}

function calculateDetail(pool: PoolState, hardwareOf: FindHardware): PoolDetail {
  const merged = pool.merged?.nodes ?? []
  const names = uniqueNames(merged)
  const nodes: NodeStatus[] = []
  const newest = new Map<Category, number>()
  for (const [index, node] of merged.entries()) {
    nodes.push(nodeStatus(node, names[index] ?? node.id, hardwareOf(node)))
    for (const [category, t] of newestTimes(node)) {
      newest.set(category, Math.max(t, newest.get(category) ?? t))
    }
  }
  const attributes = attributesOf(pool)
  const sourcesOf = (category: Category) =>
    SOURCES.filter((source) => attributes.some((one) => one.category === category && one.source === source))
  return {
    nodes: worstFirst(nodes),
    totals: totalStatus(nodes),
    figures: readFigures(pool),
    attributes,
    categories: CATEGORIES.map((category) => {
      return { category, sources: sourcesOf(category), newest: newest.get(category) }
    }),
  }
}

/** Where values come from. */
const SOURCES = ['feed', 'query'] as const
type Source = (typeof SOURCES)[number]

export const CATEGORY_OF: ReadonlyMap<CoverageAttribute, Category> = new Map<CoverageAttribute, Category>([
  ...ATTRIBUTES.map(({ name, category }) => [name, category] as const),
  [TRANSACTION_ERRORS.name, TRANSACTION_ERRORS.category],
  [FORECAST.name, FORECAST.category],
])

/** Number of nodes by state of one attribute. */
export type AttributeStatus = ReturnType<typeof attributesOf>[number]

/** Empty without a reading. */
function attributesOf({ merged, forecasts }: PoolState) {
  if (merged === undefined) return []
  const ofForecasts = forecastCoverage(forecasts, merged.nodes.length)
  return COVERAGE_ATTRIBUTES.map((name) => {
    const coverage = name === FORECAST.name ? ofForecasts : merged.coverage.get(name)
    const none: Coverage = { served: 0, absent: merged.nodes.length, unreadable: 0 }
    const { served, absent, unreadable } = coverage ?? none
    const hasValue = served + unreadable > 0
    const source: Source | null = hasValue ? (merged.queried.has(name) ? 'query' : 'feed') : null
    return { name, category: CATEGORY_OF.get(name) ?? null, source, served, absent, unreadable }
  })
}

/** Sums over the nodes. Null: no node has it. */
export type TotalStatus = ReturnType<typeof totalStatus>

function totalStatus(nodes: readonly NodeStatus[]) {
  const health = nodes.map((node) => [node.health ?? UNKNOWN_HEALTH, 1] as const)
  return { nodes: nodes.length, nodes_by_health: addedUp(health), ...sumsOf(nodes.map(withWholeCapacity)) }
}

/** As by the rules, the disk space counts only where both figures are known: the ratio would be wrong otherwise. */
function withWholeCapacity(node: NodeStatus): Summed {
  const { disk_space_total_bytes: total, disk_space_allocated_bytes: allocated } = node
  if (total !== null && allocated !== null) return node
  return { ...node, disk_space_total_bytes: null, disk_space_allocated_bytes: null }
}

/** In `nodes_by_health`, of nodes without a health status. */
const UNKNOWN_HEALTH = 'unknown'

export function sumTotals(all: readonly TotalStatus[]): TotalStatus {
  const health = all.flatMap(({ nodes_by_health }) => Object.entries(nodes_by_health))
  const nodes = all.reduce((count, { nodes }) => count + nodes, 0)
  return { nodes, nodes_by_health: addedUp(health), ...sumsOf(all) }
}

/** The counts of each word. Words come from the storage system; `__proto__` must not be the prototype. */
function addedUp(counts: readonly (readonly [word: string, count: number])[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [word, count] of counts) sums.set(word, (sums.get(word) ?? 0) + count)
  return Object.fromEntries(sums)
}

const SUMMED = [...DISK_NAMES, 'disk_space_total_bytes', 'disk_space_allocated_bytes'] as const

type Summed = Readonly<Record<(typeof SUMMED)[number], number | null>>
export type CapacityStatus = ReturnType<typeof sumsOf>

function sumsOf(all: readonly Summed[]) {
  const sums = Object.fromEntries(
    SUMMED.map((member) => [member, sumOfKnown(all.map((one) => one[member])) ?? null]),
  ) as Summed
  const ratio = ratioOf(sums.disk_space_allocated_bytes, sums.disk_space_total_bytes)
  return { ...sums, disk_space_allocated_ratio: ratio ?? null }
}
