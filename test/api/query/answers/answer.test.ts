import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../../src/api/errors/errors.ts'
import type { QueryAnswer } from '../../../../src/api/query/answers/answer.ts'
import { decodeAnswer } from '../../../../src/api/query/answers/answer.ts'
import { answerOf, bodyOf, decodeBody, type RowOptions, readingOf, START, STOP } from '../query_files.ts'

const USED = { field: 'used', measurement: 'mem' }
const row = (time: string, value: unknown, more: Partial<RowOptions> = {}): RowOptions => ({
  ...USED,
  ...more,
  time,
  value,
})
const NAMES = ['_time', '_value', '_field', '_measurement', '_start', '_stop', 'node_id']
const CELLS = ['2026-07-31T08:35:00Z', '5', 'used', 'mem', START, STOP, 'id-n1']
const bodyWith = (columns: unknown, values: unknown) => ({ Series: [{ Columns: columns, Values: values }] })
const pointsOf = ({ series }: QueryAnswer) => [...series.values()].map(({ points }) => points)
const valuesOf = (answer: QueryAnswer) => pointsOf(answer).map((points) => points.map(({ value }) => value))
const rejectedOf = ({ rejected }: QueryAnswer) => rejected.map(({ reason, times }) => `${reason} ${times}`)
const seconds = (time: string) => Date.parse(`2026-07-31T${time}Z`) / 1000

describe('an answer', () => {
  const WITHOUT_STOP = NAMES.filter((name) => name !== '_stop')

  test.each([
    ['nothing matched', { Series: [{ Datatypes: null, Columns: null, Values: null }] }],
    ['no member of Series', { Series: [] }],
    ['Series is null', { Series: null }],
    ['no rows', bodyWith(NAMES, [])],
  ])('without data: %s', (_, body) => {
    expect(decodeBody(body)).toEqual({ series: new Map(), stop: undefined, outside: 0, rejected: [] })
  })

  test.each([
    ['a list', []],
    ['no member Series', { series: [] }],
    ['Series is no list', { Series: {} }],
    ['a member is no object', { Series: [1] }],
    ['Values is no list', { Series: [{ Columns: NAMES, Values: {} }] }],
    ['rows without columns', { Series: [{ Values: [CELLS] }] }],
    ['no column _stop', bodyWith(WITHOUT_STOP, [CELLS])],
    ['no column of the node', bodyWith(NAMES.slice(0, -1), [CELLS])],
  ])('of another shape is refused: %s', (_, body) => {
    expect(() => decodeBody(body)).toThrowError(expect.objectContaining({ reason: 'schema' }))
  })

  test('without a column that the query needs is refused', () => {
    const decode = () => decodeBody(bodyWith(NAMES, [CELLS]), ['interface'])
    expect(decode).toThrowError(expect.objectContaining({ reason: 'schema' }))
    expect(decode).toThrowError(/lacks the columns interface/)
  })

  test('with more than 100 columns is refused', () => {
    const tags = Array.from({ length: 94 }, (_, index) => `tag${index}`)
    const body = (count: number) =>
      bodyWith([...NAMES, ...tags.slice(0, count)], [[...CELLS, ...tags.slice(0, count)]])
    expect(decodeBody(body(93)).series.size).toBe(1)
    expect(() => decodeBody(body(94))).toThrowError(expect.objectContaining({ reason: 'too_large' }))
  })

  test('bounds the length of tags', () => {
    const node = 'n'.repeat(1_000_000)
    const { series } = decodeBody(bodyOf([row('08:30:00', '1', { node })]))
    expect([...series.keys()].join('').length).toBeLessThan(1000)
  })

  test('that is an error with status 200 is a refused query', () => {
    expect(() => decodeBody({ error: 'failed to compile query' })).toThrowError(
      expect.objectContaining({ reason: 'client_error' }),
    )
  })

  test('has no point where there are two values of one time, and counts them', () => {
    const rows = [row('08:25:00', '1'), row('08:30:00', '2'), row('08:30:00', '9'), row('08:35:00', '3')]
    const answer = decodeBody(bodyOf(rows))
    expect([valuesOf(answer), rejectedOf(answer)]).toEqual([[[1, 3]], ['duplicate 1']])
    const newest = decodeBody(bodyOf([...rows, row('08:35:00', '4')]))
    expect([valuesOf(newest), rejectedOf(newest)]).toEqual([[[1, Number.NaN]], ['duplicate 2']])
  })

  test('with two values of one time is an error if the query combines measurements', () => {
    const options = { name: 'query_test', tags: [], isCombined: true }
    const body = bodyOf([row('08:30:00', '2'), row('08:30:00', '9')])
    expect(() => decodeAnswer(body, options)).toThrowError(expect.objectContaining({ reason: 'schema' }))
  })

  test('has points sorted by time, of which copies count once', () => {
    const rows = [row('08:35:00', '3'), row('08:25:00', '1'), row('08:30:00', '2'), row('08:30:00', '2')]
    const points = [25, 30, 35].map((minute, index) => ({ t: seconds(`08:${minute}:00`), value: index + 1 }))
    expect(pointsOf(decodeBody(bodyOf(rows)))).toEqual([points])
  })

  test('counts points outside of the range, and leaves them out', () => {
    const rows = [row('08:16:22', '1'), row('08:16:23', '2'), row('08:38:22', '3'), row('08:38:23', '4')]
    const answer = decodeBody(bodyOf(rows))
    expect([valuesOf(answer), answer.outside]).toEqual([[[2, 3]], 2])
  })

  test('rejects rows that cannot be read, and keeps the others', () => {
    const values = [null, '', 'NaN', '+Inf', '-1', '1e400', '0x1F', '2.5e3']
    const answer = decodeBody(bodyOf(values.map((value, index) => row(`08:2${index}:00`, value))))
    expect(valuesOf(answer)).toEqual([[2500]])
    expect(rejectedOf(answer)).toEqual(['shape 2', 'text 3', 'negative 1', 'infinite 1'])
    const rest = CELLS.slice(1)
    const shapes = bodyWith(NAMES, [CELLS, rest, 7, [...rest, ''], ['soon', ...rest]])
    expect(rejectedOf(decodeBody(shapes))).toEqual(['shape 2', 'time 2'])
  })

  test('has no value for a speed of -1, which is not rejected', () => {
    const options = { field: 'speed', measurement: 'net', tags: { interface: 'eth0' } }
    const answer = decodeBody(bodyOf([row('08:30:00', '1000', options), row('08:35:00', '-1', options)]))
    expect([valuesOf(answer), rejectedOf(answer)]).toEqual([[[1000, Number.NaN]], []])
  })

  test('has values of any JSON type, and times with any number of decimals', () => {
    const cells = ['2026-07-31T08:35:00.123456789Z', 5, 'used', 'mem', START.replace('Z', ''), STOP, 'id-n1']
    expect(pointsOf(decodeBody(bodyWith(NAMES, [cells])))).toEqual([
      [{ t: seconds('08:35:00.123'), value: 5 }],
    ])
  })

  test('may have columns in any order, and other columns in each member of Series', () => {
    const order = (indexes: readonly number[]) => ({
      Columns: indexes.map((index) => NAMES[index]),
      Values: [indexes.map((index) => (index === 0 ? `2026-07-31T08:3${indexes[0]}:00Z` : CELLS[index]))],
    })
    const answer = decodeBody({ Series: [order([0, 1, 2, 3, 4, 5, 6]), order([6, 5, 4, 3, 2, 1, 0])] })
    const points = ['08:30:00', '08:36:00'].map((time) => ({ t: seconds(time), value: 5 }))
    expect(pointsOf(answer)).toEqual([points])
  })

  test('has one series for each set of tags', () => {
    const tags = (name: string) => ({ tags: { interface: name } })
    const rows = [row('08:30:00', '1', tags('a')), row('08:30:00', '2', tags('b'))]
    expect(valuesOf(decodeBody(bodyOf(rows), ['interface']))).toEqual([[1], [2]])
  })
})

describe('properties', () => {
  test('anything is decoded or refused with a reason', () => {
    const cell = fc.oneof(fc.constantFrom(...CELLS), fc.jsonValue())
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ Series: fc.jsonValue() }),
      fc
        .record({ Columns: fc.shuffledSubarray(NAMES), Values: fc.array(fc.array(cell)) })
        .map((one) => ({ Series: [one] })),
    )
    fc.assert(
      fc.property(body, (value) => {
        try {
          readingOf([decodeBody(value)])
        } catch (failure) {
          expect(failure).toBeInstanceOf(ApiError)
        }
      }),
    )
  })

  test('neither the order of rows nor that of columns matters, and copies of rows add nothing', () => {
    const body = bodyOf(
      ['08:25:00', '08:30:00', '08:35:00'].flatMap((time, index) => [
        row(time, index, { tags: { process: 'a' } }),
        row(time, index * 2, { tags: { process: 'b' } }),
      ]),
    ) as { Series: [{ Columns: string[]; Values: string[][] }] }
    const { Columns, Values } = body.Series[0]
    const sorted = (answer: QueryAnswer) => [...answer.series].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const expected = sorted(decodeBody(body))
    const all = Values.map((_, index) => index)
    const permuted = (list: readonly number[]) => fc.shuffledSubarray([...list], { minLength: list.length })
    fc.assert(
      fc.property(
        permuted(Columns.map((_, index) => index)),
        permuted(all),
        fc.array(fc.constantFrom(...all)),
        (columns, rows, copies) => {
          const values = [...rows, ...copies].map((at) => columns.map((column) => Values[at]?.[column]))
          const names = columns.map((column) => Columns[column])
          expect(sorted(decodeBody(bodyWith(names, values)))).toEqual(expected)
        },
      ),
    )
  })

  test('no rate is negative, whatever the counters do', () => {
    const counter = { field: 'read_USERTotal', measurement: 'cm_IO_Statistics_data_read' }
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 19, max: 37 }), fc.nat())), (points) => {
        const rows = points.map(([minute, value]) => row(`08:${minute}:00`, value, counter))
        const [node] = readingOf([decodeBody(bodyOf(rows))]).nodes
        const rate = node?.values.get('diskReadBandwidthUser')?.value
        expect(rate ?? 0).toBeGreaterThanOrEqual(0)
        if (rate !== undefined) expect(new Set(points.map(([minute]) => minute)).size).toBeGreaterThan(1)
      }),
    )
  })
})

test('the fixture of an empty answer has nothing', () => {
  expect(answerOf('empty').series.size).toBe(0)
})
