import type { Coverage } from '../api/feed/coverage.ts'
import {
  ATTRIBUTES,
  CATEGORIES,
  type Category,
  COVERAGE_ATTRIBUTES,
  type CoverageAttribute,
  FORECAST,
  TRANSACTION_ERRORS,
} from '../catalogue.ts'
import { newestTimes } from '../metrics/newest_times.ts'
import { uniqueNames } from '../metrics/samples.ts'
import type { Steps } from '../slices.ts'
import type { PoolState } from '../state/state.ts'
import type { AttributeStatus, NodeStatus, Source, TotalStatus } from './model.ts'
import { diskFigures } from './node_figures.ts'
import { nodeStatus, worstFirst } from './node_status.ts'
import { type PoolTotals, poolTotals, ratioOf } from './totals.ts'

/** What follows from the reading of a pool alone, whatever the time is. */
export interface PoolDetail {
  /** The worst first. */
  readonly nodes: readonly NodeStatus[]
  readonly totals: TotalStatus
  readonly attributes: readonly AttributeStatus[]
  /** Newest sample and sources of each category. */
  readonly categories: readonly {
    readonly category: Category
    readonly sources: readonly Source[]
    readonly newest: number | undefined
  }[]
}

/** Calculates the details of pools, in slices, and keeps them as long as the state of the pool. */
export function createPoolDetails(): (pool: PoolState) => Steps<PoolDetail> {
  const details = new WeakMap<PoolState, PoolDetail>()
  return function* (pool) {
    const known = details.get(pool) ?? (yield* detailSteps(pool))
    details.set(pool, known)
    return known
  }
}

function* detailSteps(pool: PoolState): Steps<PoolDetail> {
  const merged = pool.merged?.nodes ?? []
  const names = uniqueNames(merged)
  const nodes: NodeStatus[] = []
  const newest = new Map<Category, number>()
  for (const [index, node] of merged.entries()) {
    nodes.push(nodeStatus(node, names[index] ?? node.id))
    for (const [category, t] of newestTimes(node)) {
      newest.set(category, Math.max(t, newest.get(category) ?? t))
    }
    yield
  }
  const attributes = attributesOf(pool)
  const sourcesOf = (category: Category) =>
    SOURCES.filter((source) => attributes.some((one) => one.category === category && one.source === source))
  return {
    nodes: worstFirst(nodes),
    totals: totalStatus(nodes, poolTotals({ nodes: merged })),
    attributes,
    categories: CATEGORIES.map((category) => ({
      category,
      sources: sourcesOf(category),
      newest: newest.get(category),
    })),
  }
}

const SOURCES: readonly Source[] = ['feed', 'query']

const CATEGORY_OF: ReadonlyMap<CoverageAttribute, Category> = new Map<CoverageAttribute, Category>([
  ...ATTRIBUTES.map(({ name, category }) => [name, category] as const),
  [TRANSACTION_ERRORS.name, TRANSACTION_ERRORS.category],
  [FORECAST.name, FORECAST.category],
])

/** Empty without a reading. */
function attributesOf({ merged, forecastCoverage }: PoolState): AttributeStatus[] {
  if (merged === undefined) return []
  return COVERAGE_ATTRIBUTES.map((name) => {
    const coverage = name === FORECAST.name ? forecastCoverage?.get(name) : merged.coverage.get(name)
    const { served, absent, unreadable }: Coverage = coverage ?? {
      served: 0,
      absent: merged.nodes.length,
      unreadable: 0,
    }
    const source = served + unreadable === 0 ? null : merged.queried.has(name) ? 'query' : 'feed'
    return { name, category: CATEGORY_OF.get(name) ?? null, source, served, absent, unreadable }
  })
}

function totalStatus(nodes: readonly NodeStatus[], totals: PoolTotals): TotalStatus {
  const { disks, diskSpaceTotalBytes: total, diskSpaceAllocatedBytes: allocated } = totals
  return {
    nodes: nodes.length,
    nodes_by_health: countBy(nodes.map(({ health }) => health ?? UNKNOWN_HEALTH)),
    ...diskFigures((count) => disks[count]),
    disk_space_total_bytes: total ?? null,
    disk_space_allocated_bytes: allocated ?? null,
    disk_space_allocated_ratio: ratioOf(allocated, total) ?? null,
  }
}

/** In `nodes_by_health`, of nodes without a health status. */
export const UNKNOWN_HEALTH = 'unknown'

function countBy(words: readonly string[]): Record<string, number> {
  // Statuses come from the storage system; `__proto__` must not be the prototype.
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return Object.fromEntries(counts)
}

const SUMMED = [
  'disks',
  'disks_good',
  'disks_bad',
  'disks_maintenance',
  'disks_ready_to_replace',
  'disk_space_total_bytes',
  'disk_space_allocated_bytes',
] as const satisfies readonly (keyof TotalStatus)[]

/** The sums of several pools. */
export function sumTotals(all: readonly TotalStatus[]): TotalStatus {
  const health = new Map<string, number>()
  for (const [status, count] of all.flatMap(({ nodes_by_health }) => Object.entries(nodes_by_health)))
    health.set(status, (health.get(status) ?? 0) + count)
  const sums = Object.fromEntries(
    SUMMED.map((member) => {
      const known = all.flatMap((totals) => totals[member] ?? [])
      return [member, known.length === 0 ? null : known.reduce((a, b) => a + b, 0)]
    }),
  ) as Record<(typeof SUMMED)[number], number | null>
  const { disk_space_allocated_bytes: allocated, disk_space_total_bytes: total } = sums
  return {
    nodes: all.reduce((count, { nodes }) => count + nodes, 0),
    nodes_by_health: Object.fromEntries(health),
    ...sums,
    disk_space_allocated_ratio: ratioOf(allocated ?? undefined, total ?? undefined) ?? null,
  }
}
