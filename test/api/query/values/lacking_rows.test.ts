import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../../src/api/errors/errors.ts'
import {
  createPerformanceReader,
  type PerformancePoll,
} from '../../../../src/api/query/performance_reader.ts'
import { MEASUREMENTS } from '../../../../src/query_catalogue.ts'
import { never } from '../../http/responses.ts'
import { answerOf, bodyOf, decodeBody, NO_FILTER, type RowOptions } from '../query_files.ts'

/** Rows that a query returns in a poll; undefined: it fails. */
type RowsOf = (query: string, poll: number) => readonly RowOptions[] | undefined

/** The readings of polls five minutes apart. Each answer has the points of the last ten minutes. */
async function readingsOf(polls: number, rowsOf: RowsOf): Promise<PerformancePoll['reading'][]> {
  let poll = 0
  const reader = createPerformanceReader({
    interfaces: NO_FILTER,
    hasRangeDefect: async () => false,
    now: () => poll * 300_000,
    async query({ name }) {
      const rows = rowsOf(name, poll)
      if (rows === undefined) throw new ApiError('timeout', 'slow')
      if (rows.length === 0) return answerOf('empty')
      const shifted = (text: string) => new Date(Date.parse(text) + poll * 300_000).toISOString()
      const { Series } = bodyOf(rows) as { Series: { Values: string[][] }[] }
      const Values = Series[0]?.Values.map(([table = '', start = '', stop = '', time = '', ...rest]) => [
        ...[table, shifted(start), shifted(stop), shifted(time)],
        ...rest,
      ])
      return decodeBody({ Series: [{ ...Series[0], Values }] })
    },
  })
  const readings = []
  for (; poll < polls; poll += 1) readings.push((await reader.read(never())).reading)
  return readings
}

/** A counter that grows by `step` with each poll. */
const counter = (
  measurement: string,
  field: string,
  step: number,
  poll: number,
  rest: Partial<RowOptions> = {},
) =>
  ['08:25:00', '08:30:00', '08:35:00'].map(
    (time, index): RowOptions => ({ time, value: (poll + index) * step, field, measurement, ...rest }),
  )

const TRAFFIC = 'query_traffic_disk'

describe('errors', () => {
  const code = (poll: number) =>
    counter(MEASUREMENTS.errorCodes.name, 'error_counter', 10, poll, { tags: { code: '404' } })
  const totals = (poll: number) => [
    ...counter(MEASUREMENTS.transactions.name, 'succeed_request_counter', 90 + poll, poll),
    ...counter(MEASUREMENTS.transactions.name, 'failed_request_counter', 10, poll),
  ]
  const fieldsOf = ({ nodes: [node] }: PerformancePoll['reading']) => [
    node?.transactions?.succeeded,
    (node?.errorTypes?.t ?? 0) - (node?.transactions?.t ?? 0),
    node?.errorTypes?.types.map(({ errorType, count, rate }) => [errorType, count, rate?.value]),
  ]

  test('have new totals when only the query of codes fails; the codes are those of a poll before, then none', async () => {
    const readings = await readingsOf(5, (query, poll) => {
      if (query === 'query_error_codes') return poll === 0 ? code(poll) : undefined
      return query === TRAFFIC
        ? totals(0).map((row) => ({ ...row, value: poll * 90 + Number(row.value) }))
        : []
    })
    expect(readings.map(fieldsOf)).toEqual([
      [90, 0, [['404', 10, 10]]],
      [90, -300, [['404', 10, 10]]],
      [90, -600, [['404', 10, undefined]]],
      [90, -900, [['404', 10, undefined]]],
      [90, expect.any(Number), undefined],
    ])
  })

  test('are those of a poll before when the query of transactions fails, and counts of codes are new', async () => {
    const readings = await readingsOf(2, (query, poll) => {
      if (query === 'query_error_codes') return code(poll)
      return query === TRAFFIC ? (poll === 0 ? totals(0) : undefined) : []
    })
    expect(readings.map(fieldsOf)).toEqual([
      [90, 0, [['404', 10, 10]]],
      [90, 300, [['404', 10, undefined]]],
    ])
  })

  test('of different times are not put together', async () => {
    const [reading] = await readingsOf(1, (query) =>
      query === TRAFFIC ? totals(0).filter(({ field, time }) => field[0] === 's' || time !== '08:35:00') : [],
    )
    expect(reading?.nodes[0]?.transactions).toMatchObject({
      succeeded: 90,
      failed: undefined,
      all: undefined,
    })
  })
})

describe('an answer with fewer rows than before', () => {
  const memory = (node: string, poll: number): RowOptions => ({
    time: '08:35:00',
    value: poll,
    field: 'used',
    measurement: 'mem',
    node,
  })
  const usedBy = (host: string) => (reading: PerformancePoll['reading']) =>
    reading.nodes.find((node) => node.host === host)?.values.get('nodeMemoryUtilizationBytes')?.value

  test.each([
    ['nodes', (poll: number) => [memory('n1', poll)]],
    ['rows', () => []],
  ])('that lacks %s leaves the values until they are too old', async (what, later) => {
    const readings = await readingsOf(5, (query, poll) => {
      if (query !== 'query_memory') return []
      return poll === 0 ? [memory('n1', 0), memory('n2', 0)] : later(poll)
    })
    expect(readings.map(usedBy('n2'))).toEqual([0, 0, 0, 0, undefined])
    expect(readings.map(usedBy('n1'))).toEqual(what === 'nodes' ? [0, 1, 2, 3, 4] : [0, 0, 0, 0, undefined])
  })

  test('has the sum of a poll before as long as it lacks a part of it', async () => {
    const service = (name: string, field: string, step: number, poll: number) =>
      counter(`${name}_IO_Statistics_data_read`, field, step, poll)
    const readings = await readingsOf(3, (query, poll) => {
      if (query !== TRAFFIC) return []
      return [
        ...service('cm', 'read_USERTotal', poll < 2 ? 300 : 600, poll),
        ...service('cm', 'read_ECTotal', 300, poll),
        ...(poll === 1 ? [] : service('blob', 'read_USERTotal', 600, poll)),
      ]
    })
    const ratesOf = (name: 'diskReadBandwidthUser' | 'diskReadBandwidthEc' | 'diskReadBandwidthTotal') =>
      readings.map(({ nodes }) => nodes[0]?.values.get(name)?.value)
    expect(ratesOf('diskReadBandwidthUser')).toEqual([3, 3, 4])
    expect(ratesOf('diskReadBandwidthTotal')).toEqual([4, 4, 5])
    expect(ratesOf('diskReadBandwidthEc')).toEqual([1, 1, 1])
    const times = readings.map(({ nodes }) => nodes[0]?.values.get('diskReadBandwidthUser')?.t ?? 0)
    expect(times.map((t) => t - (times[0] ?? 0))).toEqual([0, 0, 600])
  })

  test('has the histogram of a poll before as long as it lacks a bound', async () => {
    const bound = (field: string, poll: number): RowOptions => ({
      time: '08:35:00',
      value: poll,
      field,
      measurement: MEASUREMENTS.latency.name,
      tags: { id: 'ttfb_read' },
    })
    const readings = await readingsOf(3, (query, poll) =>
      query === 'query_latency_read'
        ? [bound('+Inf', poll), ...(poll === 1 ? [] : [bound('1.0', poll)])]
        : [],
    )
    const counts = readings.map(({ nodes }) =>
      nodes[0]?.latencies.get('read')?.buckets.map(({ count }) => count),
    )
    expect(counts).toEqual([
      [0, 0],
      [0, 0],
      [2, 2],
    ])
  })
})

test('an answer that is one point behind leaves histograms and rates as they were', async () => {
  const times = ['08:25:00', '08:30:00', '08:35:00']
  const readings = await readingsOf(3, (query, poll) => {
    // Times are five minutes later with each poll, so the second answer ends before the first one.
    const count = poll === 1 ? 1 : 3
    const rows = (measurement: string, field: string, tags: Readonly<Record<string, string>>) =>
      times
        .slice(0, count)
        .map(
          (time, index): RowOptions => ({ time, value: 300 * (poll + index) ** 2, field, measurement, tags }),
        )
    if (query === 'query_latency_read')
      return ['1.0', '+Inf'].flatMap((bound) => rows(MEASUREMENTS.latency.name, bound, { id: 'ttfb_read' }))
    return query === 'query_network' ? rows('net', 'bytes_recv', { interface: 'public' }) : []
  })
  const found = readings.map(({ nodes: [node] }) => [
    node?.latencies.get('read')?.buckets.map(({ count }) => count),
    node?.interfaces.map(({ receivedBytesPerSecond }) => receivedBytesPerSecond),
  ])
  expect(found).toEqual([
    [[1200, 1200], [3]],
    [[1200, 1200], [3]],
    [[4800, 4800], [7]],
  ])
})
