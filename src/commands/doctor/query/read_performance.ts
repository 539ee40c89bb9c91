import type { SystemClient } from '../../../api/client.ts'
import { createPerformanceReader } from '../../../api/query/performance_reader.ts'
import { readRangeDefect } from '../../../api/query/version.ts'
import type { SystemConfig } from '../../../config/config.ts'
import type { RawPerformance } from '../check/system_facts.ts'

/** Reads the query interface as the exporter does. @throws {ApiError} as the reader */
export async function readPerformance(
  client: SystemClient,
  { performance: { interfaces } }: SystemConfig,
  signal: AbortSignal,
): Promise<RawPerformance> {
  const bodies = new Map<string, unknown>()
  let isWithoutRates = false
  const reader = createPerformanceReader({
    interfaces,
    hasRangeDefect: (ofRead) => readRangeDefect(client.read, ofRead),
    query(query, dialect, ofRead) {
      isWithoutRates ||= dialect.lastOnly
      return client.query(query, dialect, ofRead, (body) => bodies.set(query.name, body))
    },
  })
  const answers = await reader.read(signal)
  return { ...answers, bodies, isWithoutRates }
}
