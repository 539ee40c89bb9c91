import { expect, test } from 'vitest'
import { shiftTimes } from '../../src/recording/times.ts'

const DAY = 86_400

test('times keep their notation', () => {
  const body = {
    t: '1785312642',
    sample_time: '2026-03-11T12:34:56Z',
    uptodate_till: '2026-03-11T12:34',
    replicationRpoTimestamp: 1_785_312_642_000,
    expiration_date: '12/31/2026',
    Space: '1785312642',
    list: [{ ' t ': 1_785_312_642 }],
    timestamp: 'yesterday',
    created: -1,
  }
  expect(shiftTimes(body, DAY)).toEqual({
    t: '1785399042',
    sample_time: '2026-03-12T12:34:56Z',
    uptodate_till: '2026-03-12T12:34',
    replicationRpoTimestamp: 1_785_399_042_000,
    expiration_date: '01/01/2027',
    Space: '1785312642',
    list: [{ ' t ': 1_785_399_042 }],
    timestamp: 'yesterday',
    created: -1,
  })
})

test.each([
  ['1.7853126E9', '1785399000'],
  ['1.785312642E9', '1785399042'],
  ['1.785312642e+9', '1785399042'],
  ['1785312642.5', '1785399042.5'],
  ['1785312642.0', '1785399042'],
  ['1.785312642E12', '1785399042000'],
  ['-1.5', '-1.5'],
  ['0.0', '0'],
])('the time %s that is a text is moved', (t, moved) => {
  expect(shiftTimes({ t }, DAY)).toEqual({ t: moved })
})

test('times in the answers of queries keep their fractions', () => {
  const Columns = ['_start', '_time', '_value', 'id']
  const row = (start: string, time: string) => [start, time, '1785312642', '2026-03-11T12:34:56Z']
  const table = (...rows: readonly unknown[]) => ({ Series: [{ Columns, Values: rows }] })
  expect(shiftTimes(table(row('2026-07-31T08:32:22.801998531Z', '2026-07-31T08:35:09Z')), 60)).toEqual(
    table(row('2026-07-31T08:33:22.801998531Z', '2026-07-31T08:36:09Z')),
  )
  expect(shiftTimes({ Series: [{ Datatypes: null, Columns: null, Values: null }] }, 60)).toEqual({
    Series: [{ Datatypes: null, Columns: null, Values: null }],
  })
})
