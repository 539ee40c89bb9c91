import { readFileSync } from 'node:fs'
import { decodeFeed, type FeedReading } from '../../../src/api/feed/feed.ts'
import { parseJson } from '../../../src/api/parse/json.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { withForecasts, withPoll, withPools } from '../../../src/state/changes.ts'
import { newSystem } from '../../../src/state/state.ts'
import { systemParts } from '../../../src/state/store.ts'

/** Reads a file of test/fixtures/feed: feeds typed by hand, and the series expected of them. */
export function feedFile(name: string): string {
  return readFileSync(new URL(`../../fixtures/feed/${name}`, import.meta.url), 'utf8')
}

/** The node series, with forecasts, after a poll of pool p1 of system frankfurt. */
export function nodeLines(reading: FeedReading): string[] {
  const attempt = { at: 1, seconds: 1, failure: undefined }
  const listed = withPools(newSystem('frankfurt'), [{ id: 'p1', name: undefined }])
  const system = withForecasts(withPoll(listed, 'p1', attempt, reading), 'p1', '7d', reading)
  const lines = createExposition(systemParts(system)).text('text').split('\n')
  return lines.filter((line) => line.startsWith('sds_node_'))
}

export function decodeText(text: string): FeedReading {
  return decodeFeed(parseJson(text))
}
