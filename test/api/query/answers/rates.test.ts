import { describe, expect, test } from 'vitest'
import type { FieldSeries } from '../../../../src/api/query/answers/answer.ts'
import { increaseOf, sumOfIncreases } from '../../../../src/api/query/answers/rates.ts'

const series = (...points: readonly (readonly [t: number, value: number])[]): FieldSeries => ({
  measurement: 'm',
  field: 'f',
  tags: new Map(),
  points: points.map(([t, value]) => ({ t, value })),
})

describe('the growth of a counter', () => {
  test('is that between the last two points, by their own times', () => {
    const counter = series([0, 0], [300, 600], [610, 910])
    expect(increaseOf(counter)).toEqual({ from: 300, t: 610, amount: 310, perSecond: 1 })
    expect(increaseOf(series([0, 5], [60, 5]))).toEqual({ from: 0, t: 60, amount: 0, perSecond: 0 })
    expect(increaseOf(series([0, 0], [300, 0], [600, 0], [1500, 900]))?.perSecond).toBe(1)
  })

  test.each([60, 120, 300, 600, 900])(
    'is known at an interval of %i s, also across a gap of two points',
    (interval) => {
      const points = [0, 1, 2, 5].map((k) => [k * interval, k * interval] as const)
      expect(increaseOf(series(...points.slice(0, 2)))?.perSecond).toBe(1)
      expect(increaseOf(series(...points))?.perSecond).toBe(1)
    },
  )

  test.each([
    ['no point', series()],
    ['one point', series([300, 5])],
    ['a reset', series([0, 600], [300, 5])],
    ['a gap of more than three intervals', series([0, 0], [300, 10], [600, 20], [1651, 600])],
    ['a gap of more than three of the longest intervals', series([0, 0], [3151, 600])],
    ['points too close', series([0, 0], [300, 10], [600, 20], [749, 600])],
  ])('is unknown with %s', (_, counter) => {
    expect(increaseOf(counter)).toBeUndefined()
  })
})

describe('the growth of several counters', () => {
  const one = series([0, 0], [300, 300])

  test('is the sum of their own rates', () => {
    const sum = sumOfIncreases([one, series([20, 0], [280, 520])])
    expect(sum).toEqual({ from: 0, t: 300, amount: 820, perSecond: 3 })
  })

  test.each([
    ['a reset', series([0, 600], [300, 5])],
    ['no second point', series([300, 5])],
    ['a gap', series([-1600, 5], [-1300, 5], [-1000, 5], [300, 5])],
  ])('is unknown when one of them has %s', (_, other) => {
    expect(sumOfIncreases([one, other])).toBeUndefined()
  })

  test.each([
    ['300 s', 0],
    ['20 minutes', -900],
  ])('is that before the next point of a counter that is %s behind', (_, newest) => {
    const long = series(...[-1200, -900, -600, -300, 0, 300].map((t) => [t, t + 1200] as const))
    const late = series([newest - 320, 0], [newest - 20, 600])
    expect(sumOfIncreases([long, late])).toMatchObject({ t: newest, perSecond: 3 })
  })

  test('is unknown without counters', () => {
    expect(sumOfIncreases([])).toBeUndefined()
  })
})
