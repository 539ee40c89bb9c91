import { decodeFeed } from '../../../src/api/feed/feed.ts'
import { parseJson } from '../../../src/api/parse/json.ts'
import type { PerformanceReading } from '../../../src/api/query/values/performance.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { withPerformance, withPoll, withPools } from '../../../src/state/changes.ts'
import { newSystem, type SystemState } from '../../../src/state/state.ts'
import { systemParts } from '../../../src/state/store.ts'
import { queryFile } from './query_files.ts'

/** The system of the fixtures, polled, with this reading of its Flux API. */
export function systemWith(reading: PerformanceReading): SystemState {
  const feed = decodeFeed(parseJson(queryFile('nodes.json')))
  const listed = withPools(newSystem('frankfurt'), [{ id: 'p1', name: undefined }])
  const polled = withPoll(listed, 'p1', { at: 1, seconds: 1, failure: undefined }, feed)
  return withPerformance(polled, { reading, receivedAtMs: 0, failure: undefined })
}

/** The lines of a system that begin so. */
export function linesOf(system: SystemState, prefix: string): string[] {
  const text = createExposition(systemParts(system)).text('text')
  return text.split('\n').filter((line) => line.startsWith(prefix))
}

export const OF_FEED = /^sds_node_(info|health_status|disk_space)/

/** A line whose value is without the noise of floating point. */
export function rounded(line: string): string {
  return line.replace(/\S+$/, (value) => String(Number(Number(value).toPrecision(12))))
}

/** The lines of the nodes, without those that are of the feed only. */
export function nodeLines(reading: PerformanceReading): string[] {
  return linesOf(systemWith(reading), 'sds_node_')
    .filter((line) => !OF_FEED.test(line))
    .map(rounded)
}
