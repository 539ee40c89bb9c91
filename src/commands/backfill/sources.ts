import { lacksPerformance } from '../../api/query/merge.ts'
import { poolSource } from '../../history/sources/feed_source.ts'
import type { HistorySource } from '../../history/sources/source.ts'
import { CommandError } from '../cli/exit.ts'
import { missingText, type Plan, type PlanOptions, planQueries } from './performance.ts'
import type { ListedSystem } from './pools.ts'

/** @throws {CommandError} if nothing can be read */
export async function planSources(systems: readonly ListedSystem[], options: PlanOptions): Promise<Plan> {
  const sources: HistorySource[] = []
  let refused: Plan['refused'] = {}
  const report: string[] = []
  const without: string[] = []
  for (const system of systems.filter(({ chosen }) => chosen.length > 0)) {
    if (options.source !== 'query') sources.push(...system.chosen.map(poolSource))
    const queries = await planSystem(system, options)
    sources.push(...queries.sources)
    refused = { ...refused, ...queries.refused }
    report.push(...queries.report)
    without.push(...queries.without)
  }
  if (sources.length === 0) throw new CommandError(['there is nothing to read', ...report].join('\n'))
  return { sources, refused, report, without }
}

/** Plan of the Flux API of a system: as the poller reads it, unless a flag chooses the source. */
async function planSystem(system: ListedSystem, options: PlanOptions): Promise<Plan> {
  const { name, performance } = system.config
  const source = options.source === 'auto' ? performance.source : options.source
  const lacks = system.chosen.some(({ reading }) => lacksPerformance(reading))
  if (source === 'query' || (source === 'auto' && lacks)) return await planQueries(system, lacks, options)
  const flag = options.source === 'feed' ? '--source=feed' : 'performance.source: feed'
  const reason = `because of ${flag}, the Flux API is not read`
  return { sources: [], refused: {}, report: lacks ? [missingText(name, lacks, reason)] : [], without: [] }
}
