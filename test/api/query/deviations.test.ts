import { expect, test } from 'vitest'
import { parseJson } from '../../../src/api/parse/json.ts'
import { decodeAnswer, type QueryAnswer } from '../../../src/api/query/answers/answer.ts'
import { queryFile, readingOf } from './query_files.ts'
import { nodeLines } from './system_lines.ts'

/** Answers with one deviation each in test/fixtures/query/deviations, typed by hand as is what they become. */
const DEVIATIONS = [
  'strings',
  'nulls',
  'several_series',
  'reordered_columns',
  'duplicate_rows',
  'out_of_window_rows',
  'missing_bounds',
]

/** What was not used, as comments. */
function notes({ outside, rejected }: QueryAnswer): string[] {
  return [
    ...(outside === 0 ? [] : [`# outside ${outside}`]),
    ...rejected.map(({ reason, times }) => `# rejected ${reason} ${times}`),
  ]
}

test.each(DEVIATIONS)('an answer with %s becomes the expected series', (name) => {
  const body = parseJson(queryFile(`deviations/${name}.json`))
  const answer = decodeAnswer(body, { name: 'query_test', tags: [] })
  const lines = nodeLines(readingOf([answer])).filter((line) => !line.includes('category="capacity"'))
  expect([...notes(answer), ...lines, ''].join('\n')).toBe(queryFile(`deviations/${name}.prom`))
})
