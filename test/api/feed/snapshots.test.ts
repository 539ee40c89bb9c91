import { describe, expect, test } from 'vitest'
import { readNewest } from '../../../src/api/feed/snapshots.ts'
import { UNITS } from '../../../src/catalogue.ts'

const T = 1_785_312_642

describe('readNewest', () => {
  test.each<[string, string, number, number]>([
    ['the API document: one snapshot', `{"t": ${T}, "Space": 500}`, T, 500],
    ['real systems: an array of one, all texts', `[{"Space": "2000", "t": "${T}"}]`, T, 2000],
    ["Java's notation of doubles", '[{"t": "7", "Space": "1.5434643250766666E13"}]', 7, 15434643250766.666],
    ['the newer last', '[{"t": "1", "Space": "1"}, {"t": "2", "Space": "7"}]', 2, 7],
    ['the newer first', '[{"t": "2", "Space": "7"}, {"t": "1", "Space": "1"}]', 2, 7],
    ['two with the same time: the last', '[{"t": "2", "Space": "1"}, {"t": "2", "Space": "7"}]', 2, 7],
    ['stray blanks around the tag', '{"t": 7, " Space ": 500}', 7, 500],
    ['stray blanks around t', '{" t ": "7", "Space": 500}', 7, 500],
    ['another tag than the documented one', '{"t": 7, "Capacity": "500"}', 7, 500],
    ['further members', '{"t": 7, "Space": 500, "unit": "Bytes", "note": 1}', 7, 500],
    ['further members and stray blanks', '{"t": 7, " Space ": 500, "unit": "Bytes"}', 7, 500],
    ['null beside a snapshot', '[null, {"t": 7, "Space": 500}]', 7, 500],
    ['null after a snapshot', '[{"t": 7, "Space": 500}, null]', 7, 500],
    ['invalid snapshots beside a valid one', '["text", {"Space": 3}, {"t": 7, "Space": 500}]', 7, 500],
    ['t as a double', '{"t": "1785312642.0", "Space": 500}', T, 500],
    ['a member named __proto__', '{"t": 7, "__proto__": 500}', 7, 500],
  ])('%s', (_, value, t, expected) => {
    expect(readNewest(JSON.parse(value), 'Space', UNITS.Bytes)).toEqual({ t, value: expected })
  })

  test.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['an empty array', []],
    ['N/A instead of a snapshot', 'N/A'],
    ['an array of nothing', [null, '']],
    ['a value that is N/A', { t: T, Space: 'N/A' }],
    ['a value that is empty', [{ t: T, Space: '' }]],
    ['the newest is N/A, the older one is not', JSON.parse('[{"t":1,"Space":5},{"t":2,"Space":null}]')],
  ])('%s is absent', (_, value) => {
    expect(readNewest(value, 'Space', UNITS.Bytes)).toBeUndefined()
  })

  test.each<[string, unknown, string]>([
    ['the newest is unreadable', JSON.parse('[{"t":1,"Space":5},{"t":2,"Space":"NaN"}]'), 'text'],
    ['a negative value', { t: T, Space: -1 }, 'negative'],
    ['an infinite value', { t: T, Space: '1e400' }, 'infinite'],
    ['no time', { Space: 5 }, 'time'],
    ['a time that is not a number', { t: 'now', Space: 5 }, 'time'],
    ['a time of zero', { t: '0', Space: 5 }, 'time'],
    ['a time in milliseconds', { t: 1_785_312_642_000, Space: 5 }, 'time'],
    ['a negative time', { t: -5, Space: 5 }, 'time'],
    ['a time in microseconds', { t: `${T * 1e6}`, Space: 5 }, 'time'],
    ['a time of 1e17', { t: 1e17, Space: 5 }, 'time'],
    ['a time after the year 2100', { t: 4_102_444_801, Space: 5 }, 'time'],
    ['more bytes than a node can have', { t: T, Space: '1.1e18' }, 'range'],
    ['no value', { t: T }, 'shape'],
    ['two values', { t: T, Space1: 5, Space2: 6 }, 'shape'],
    ['a value that is an object', { t: T, Space: {} }, 'shape'],
    ['a bare number', 500, 'shape'],
    ['a text', 'many', 'shape'],
    ['an array in an array', [[{ t: T, Space: 5 }]], 'shape'],
  ])('%s is unreadable', (_, value, rejection) => {
    expect(readNewest(value, 'Space', UNITS.Bytes)).toMatchObject({ rejection })
  })
})
