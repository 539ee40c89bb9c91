import { expect, test } from 'vitest'
import { withoutPeriod, withUnreadGap } from '../../src/history/run/unread_gaps.ts'

const GAP = { source: 'a', subject: 'CPU', start: 3600, end: 7200 }
const READ = { source: 'a', subjects: new Set(['CPU']) }

test.each([
  ['the same period', { start: 3600, end: 7200 }, []],
  ['the beginning', { start: 0, end: 5400 }, [{ ...GAP, start: 5400 }]],
  ['the end', { start: 5400, end: 9000 }, [{ ...GAP, end: 5400 }]],
  [
    'the middle',
    { start: 4500, end: 5400 },
    [
      { ...GAP, end: 4500 },
      { ...GAP, start: 5400 },
    ],
  ],
  ['a period before it', { start: 0, end: 3600 }, [GAP]],
])('values of %s fill this part of a gap', (_, period, rest) => {
  expect(withoutPeriod([GAP], READ, period)).toEqual(rest)
})

test.each([
  ['of another source', { ...GAP, source: 'b' }],
  ['of another subject', { ...GAP, subject: 'memory' }],
])('a gap %s stays, and is not united with another one', (_, gap) => {
  expect(withoutPeriod([gap], READ, GAP)).toEqual([gap])
  expect(withUnreadGap([gap], GAP)).toEqual([gap, GAP])
})

test('gaps that touch become one', () => {
  expect(withUnreadGap([GAP], { ...GAP, start: 7200, end: 9000 })).toEqual([{ ...GAP, end: 9000 }])
})
