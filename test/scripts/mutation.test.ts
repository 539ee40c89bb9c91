import { describe, expect, test } from 'vitest'
import { type Score, scoreOf, scoreRatio } from '../../scripts/mutation/score.ts'
import { withRow } from '../../scripts/mutation/table.ts'

const score: Score = { killed: 7, timedOut: 1, survived: 1, notCovered: 1 }

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
      '| `src/a` | 80.0 % | 7 | 1 | 1 | 1 | now |',
      '| `src/b` | 80.0 % | 7 | 1 | 1 | 1 | then |',
    ])
    expect(page).toMatch(/^before\n[\s\S]*\nafter\n$/)
  })

  test('replaces the row of a folder that is measured again', () => {
    const page = withRow(withRow(empty, 'src/a', score, 'then'), 'src/a', score, 'now')
    expect(rowsOf(page)).toEqual(['| `src/a` | 80.0 % | 7 | 1 | 1 | 1 | now |'])
    expect(withRow(page, 'src/a', score, 'now')).toBe(page)
  })

  test('needs its markers', () => {
    expect(() => withRow('no markers\n', 'src/a', score, 'now')).toThrow('lacks the lines')
  })
})
