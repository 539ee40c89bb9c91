import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/api/parse/json.ts'
import { decodeFeed } from '../../../src/api/feed/feed.ts'
import { createPage } from '../../../src/metrics/page.ts'
import { systemParts } from '../../../src/poller/board.ts'
import { newSystem, type SystemState, withPerformance, withPoll, withPools } from '../../../src/poller/state.ts'
import { ANSWERS, answerOf, queryFile, readingOf } from './query_files.ts'

const FEED = decodeFeed(parseJson(queryFile('nodes.json')))

function systemWith(reading: ReturnType<typeof readingOf>): SystemState {
  const listed = withPools(newSystem('frankfurt'), [{ id: 'p1', name: undefined }])
  const polled = withPoll(listed, 'p1', { at: 1, seconds: 1, failure: undefined }, FEED)
  return withPerformance(polled, { reading, receivedAtMs: 0, failure: undefined })
}

const linesOf = (system: SystemState, prefix: string) =>
  createPage(systemParts(system))
    .identity('text')
    .toString()
    .split('\n')
    .filter((line) => line.startsWith(prefix))

/** A line whose value is without the noise of floating point. */
const rounded = (line: string) =>
  line.replace(/\S+$/, (value) => String(Number(Number(value).toPrecision(12))))

const OF_FEED = /^sds_node_(info|health_status|disk_space)/

describe('the answers of a real system', () => {
  const system = systemWith(readingOf(ANSWERS.map(answerOf)))

  test('become the expected series', () => {
    const expected = queryFile('expected.prom').split('\n').filter((line) => line !== '')
    const found = linesOf(system, 'sds_node_').filter((line) => !OF_FEED.test(line))
    expect(found.map(rounded)).toEqual(expected.map(rounded))
  })
})
