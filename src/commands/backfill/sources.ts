import { InvalidArgumentError } from 'commander'
import type { Period } from '../../api/history/series.ts'
import { lacksPerformance } from '../../api/query/merge.ts'
import { PERFORMANCE_SOURCES, type PerformanceSource } from '../../config/config.ts'
import { poolSource } from '../../history/source.ts'
import { counted } from '../../text.ts'
import { Failed } from '../cli/exit.ts'
import { estimatePool, type PlannedSource } from './estimate.ts'
import { feedFamilyOf, findGaps } from './gaps.ts'
import { planQueries, type QueryPlan } from './performance.ts'
import type { ListedPool, ListedSystem } from './pools.ts'
import type { QueryPlanOptions } from './query_plan_options.ts'
import { missingText } from './query_report.ts'

/** Where the past is read: `auto` is the feed, and the query interface for what the feed lacks. */
export type Source = PerformanceSource

/** @throws {InvalidArgumentError} */
export function parseSource(text: string): Source {
  const source = PERFORMANCE_SOURCES.find((one) => one === text)
  if (source === undefined) throw new InvalidArgumentError('Expected feed, query or auto.')
  return source
}

export interface SourceOptions extends QueryPlanOptions {
  readonly systems: readonly ListedSystem[]
}

/** What a run reads. */
export interface SourcePlan {
  readonly sources: readonly PlannedSource[]
  /** One line for each limit: what has no past, and why. */
  readonly report: readonly string[]
  /** Queries that a system refuses, although it answers others. */
  readonly refused: readonly string[]
}

/** @throws {Failed} if nothing can be read */
export async function planSources(options: SourceOptions): Promise<SourcePlan> {
  const sources: PlannedSource[] = []
  const report: string[] = []
  const refused: string[] = []
  for (const system of options.systems.filter(({ chosen }) => chosen.length > 0)) {
    if (options.source !== 'query')
      for (const pool of system.chosen) sources.push(await planPool(system, pool, options))
    const queries = await planSystem(system, options)
    if (queries.planned !== undefined) sources.push(queries.planned)
    report.push(...queries.report)
    refused.push(...queries.refused.map((query) => `${query} of system ${system.config.name}`))
  }
  if (sources.length === 0) throw new Failed(['there is nothing to read', ...report].join('\n'))
  return { sources, report, refused }
}

/** What is read from the query interface of a system: as the poller does it, unless a flag chooses the source. */
async function planSystem(system: ListedSystem, options: SourceOptions): Promise<QueryPlan> {
  const { name, performance } = system.config
  const source = options.source === 'auto' ? performance.source : options.source
  const lacks = system.chosen.some(({ reading }) => lacksPerformance(reading))
  if (source === 'query' || (source === 'auto' && lacks)) return await planQueries(system, lacks, options)
  const flag = options.source === 'feed' ? '--source=feed' : 'performance.source: feed'
  const reason = `because of ${flag}, the query interface is not read`
  return { planned: undefined, report: lacks ? [missingText(name, lacks, reason)] : [], refused: [] }
}

async function planPool(
  { client }: ListedSystem,
  pool: ListedPool,
  options: SourceOptions,
): Promise<PlannedSource> {
  const { reading, estimate } = pool
  const gaps = await gapsOf(pool, options)
  return {
    source: poolSource({ ...pool, client, ...(gaps !== undefined && { gaps }) }),
    estimate: (part) => estimatePool(pool, part),
    text: `${counted(reading.nodes.length, 'node')}, ${estimate.series} series`,
  }
}

/** What Prometheus lacks of a pool; undefined: the whole period is read. */
async function gapsOf(
  pool: ListedPool,
  { prometheus, period, signal }: SourceOptions,
): Promise<readonly Period[] | undefined> {
  if (prometheus === undefined) return undefined
  const family = feedFamilyOf(pool)
  // Without nodes, or without their attributes, the pool has no history either.
  if (family === undefined) return []
  return await findGaps(
    prometheus,
    { system: pool.system, pool: pool.label, families: [family] },
    period,
    signal,
  )
}
