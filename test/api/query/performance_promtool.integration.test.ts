import { expect, test } from 'vitest'
import { decodeFeed } from '../../../src/api/feed/feed.ts'
import { parseJson } from '../../../src/api/parse/json.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { withPerformance, withPoll, withPools } from '../../../src/state/changes.ts'
import { newSystem } from '../../../src/state/state.ts'
import { systemParts } from '../../../src/state/store.ts'
import { checkMetrics } from '../../support/promtool.ts'
import { ANSWERS, answerOf, queryFile, readingOf } from './query_files.ts'

test('promtool accepts the exposition of a system with a Flux API', async () => {
  const listed = withPools(newSystem('a'), [{ id: 'p', name: undefined }])
  const feed = decodeFeed(parseJson(queryFile('nodes.json')))
  const polled = withPoll(listed, 'p', { at: 1, seconds: 1, failure: undefined }, feed)
  const reading = readingOf(ANSWERS.map(answerOf))
  const system = withPerformance(polled, { reading, receivedAtMs: 0, failure: undefined })
  const text = createExposition(systemParts(system)).text('text')
  const { code, stdout, stderr } = await checkMetrics(text)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
})
