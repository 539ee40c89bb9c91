import fc from 'fast-check'
import { expect } from 'vitest'
import { parseFeedQuery } from '../../src/emulator/feed/query.ts'
import { ApiError } from '../../src/emulator/protocol/errors.ts'
import { mutatedText, textOfPieces } from './support/arbitraries.ts'
import { fuzz, resultOrError } from './support/fuzz.ts'

const NOW_SECONDS = 1_785_312_642
const MAX_POINTS = 1000
const QUERIES = [
  'dataType=current',
  'dataType=historical&startTime=1785300000&endTime=1785312642&interval=300&category=performanceCpu',
  'dataType=current&category=capacityForecast&cfTimeFrame=%7B7d%3B4w%7D&cfTarget={80;90}',
]
const PIECES = [
  '&',
  '=',
  ';',
  '%',
  '%7B',
  '{',
  '}',
  '+',
  'dataType=',
  'startTime=',
  'endTime=',
  'interval=',
  'cfTimeFrame=',
  'cfTarget=',
  'category=',
  '0',
  '9',
  '-1',
  '1e9',
  'constructor',
  '7d',
  '4w',
]

fuzz('the query of the nodes feed', {
  corpus: 'feed_query',
  input: fc.oneof(mutatedText(QUERIES, PIECES), textOfPieces(PIECES)),
  runs: 1000,
  check: (raw) => {
    const query = resultOrError(() => parseFeedQuery(raw, NOW_SECONDS, MAX_POINTS), ApiError)
    if (query instanceof ApiError) {
      expect(query.row.status).toBe(400)
      return
    }
    const { start, end, interval } = query.range
    for (const number of [start, end, interval, ...query.forecast.frames, ...query.forecast.targets]) {
      expect(Number.isSafeInteger(number) && number >= 0).toBe(true)
    }
    expect((end - start) / interval).toBeLessThanOrEqual(MAX_POINTS + 1)
  },
})
