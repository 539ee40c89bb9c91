import { describe, expect, test } from 'vitest'
import { sampleOf } from '../../scripts/mutation/sampling.ts'
import { type Score, scoreOf, scoreRatio } from '../../scripts/mutation/score.ts'
import { withRow } from '../../scripts/mutation/table.ts'

const score: Score & { all: number } = { killed: 7, timedOut: 1, survived: 1, notCovered: 1, all: 1234 }

describe('the score', () => {
  test('counts mutants by status, and leaves out those that cannot be loaded', () => {
    const statuses = ['Killed', 'Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError'] as const
    expect(scoreOf(statuses.map((status) => ({ status })))).toEqual({
      killed: 2,
      timedOut: 1,
      survived: 1,
      notCovered: 1,
    })
  })

  test('is the share of mutants that are found', () => {
    expect(scoreRatio(score)).toBe(0.8)
    expect(scoreRatio({ killed: 0, timedOut: 0, survived: 0, notCovered: 0 })).toBe(1)
  })
})

describe('the table', () => {
  const empty = 'before\n<!-- mutation scores: begin -->\n<!-- mutation scores: end -->\nafter\n'
  const rowsOf = (page: string) => page.split('\n').filter((line) => line.startsWith('| `'))

  test('has one row for each folder, sorted', () => {
    const page = withRow(withRow(empty, 'src/b', score, 'then'), 'src/a', score, 'now')
    expect(rowsOf(page)).toEqual([
      '| `src/a` | 80.0 % | 7 | 1 | 1 | 1 | 10 of 1,234 | now |',
      '| `src/b` | 80.0 % | 7 | 1 | 1 | 1 | 10 of 1,234 | then |',
    ])
    expect(page).toMatch(/^before\n[\s\S]*\nafter\n$/)
  })

  test('replaces the row of a folder that is measured again', () => {
    const page = withRow(withRow(empty, 'src/a', score, 'then'), 'src/a', score, 'now')
    expect(rowsOf(page)).toEqual(['| `src/a` | 80.0 % | 7 | 1 | 1 | 1 | 10 of 1,234 | now |'])
    expect(withRow(page, 'src/a', score, 'now')).toBe(page)
  })

  test('needs its markers', () => {
    expect(() => withRow('no markers\n', 'src/a', score, 'now')).toThrow('lacks the lines')
  })
})

test('a sample has the same mutants every time', () => {
  const mutants = Array.from({ length: 20 }, (_, line) => ({
    id: String(line),
    fileName: 'src/a.ts',
    location: { start: { line, column: 0 }, end: { line, column: 1 } },
    mutatorName: 'BooleanLiteral',
    replacement: 'false',
  }))
  const sample = sampleOf(mutants, 5)
  expect(sample.size).toBe(5)
  expect(sampleOf(mutants.toReversed(), 5)).toEqual(sample)
  expect([...sampleOf(mutants, 4)].every((id) => sample.has(id))).toBe(true)
})
