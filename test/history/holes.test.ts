import { expect, test } from 'vitest'
import { withHole, withoutPeriod } from '../../src/history/run/holes.ts'

const HOLE = { source: 'a', subject: 'CPU', start: 3600, end: 7200 }
const READ = { source: 'a', subjects: new Set(['CPU']) }

test.each([
  ['the same period', { start: 3600, end: 7200 }, []],
  ['the beginning', { start: 0, end: 5400 }, [{ ...HOLE, start: 5400 }]],
  ['the end', { start: 5400, end: 9000 }, [{ ...HOLE, end: 5400 }]],
  [
    'the middle',
    { start: 4500, end: 5400 },
    [
      { ...HOLE, end: 4500 },
      { ...HOLE, start: 5400 },
    ],
  ],
  ['a period before it', { start: 0, end: 3600 }, [HOLE]],
])('figures of %s fill this part of a hole', (_, period, rest) => {
  expect(withoutPeriod([HOLE], READ, period)).toEqual(rest)
})

test.each([
  ['of another source', { ...HOLE, source: 'b' }],
  ['of other figures', { ...HOLE, subject: 'memory' }],
])('a hole %s stays, and is not united with another one', (_, hole) => {
  expect(withoutPeriod([hole], READ, HOLE)).toEqual([hole])
  expect(withHole([hole], HOLE)).toEqual([hole, HOLE])
})

test('holes that touch become one', () => {
  expect(withHole([HOLE], { ...HOLE, start: 7200, end: 9000 })).toEqual([{ ...HOLE, end: 9000 }])
})
