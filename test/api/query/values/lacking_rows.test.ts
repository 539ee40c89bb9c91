import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../../src/api/errors/errors.ts'
import {
  createPerformanceReader,
  type PerformancePoll,
} from '../../../../src/api/query/performance_reader.ts'
import { MEASUREMENTS } from '../../../../src/query_catalogue.ts'
import { never } from '../../http/responses.ts'
import { answerOf, bodyOf, decodeBody, POLLED, type RowOptions } from '../query_files.ts'

/** Rows that a query returns in a poll; undefined: it fails. */
type RowsOf = (query: string, poll: number) => readonly RowOptions[] | undefined

interface Mode {
  readonly keepsEarlier?: boolean
  /** Whether answers have the newest point of each series only. */
  readonly lastOnly?: boolean
  /** By how much the clock of the address that answers is behind. */
  readonly behindSeconds?: (poll: number) => number
}

/** The readings of polls five minutes apart. Each answer has the points of the last ten minutes. */
async function readingsOf(
  polls: number,
  rowsOf: RowsOf,
  { keepsEarlier = true, lastOnly = false, behindSeconds = () => 0 }: Mode = {},
): Promise<PerformancePoll['reading'][]> {
  let poll = 0
  const reader = createPerformanceReader({
    ...POLLED,
    keepsEarlier,
    hasRangeDefect: async () => lastOnly,
    now: () => poll * 300_000,
    async query({ name }) {
      const rows = rowsOf(name, poll)
      if (rows === undefined) throw new ApiError('timeout', 'slow')
      if (rows.length === 0) return answerOf('empty')
      const shifted = (text: string, seconds = poll * 300) =>
        new Date(Date.parse(text) + seconds * 1000).toISOString()
      const ofAddress = (text: string) => shifted(text, poll * 300 - behindSeconds(poll))
      const { Series } = bodyOf(rows) as { Series: { Values: string[][] }[] }
      const Values = Series[0]?.Values.map(([table = '', start = '', stop = '', time = '', ...rest]) => [
        ...[table, ofAddress(start), ofAddress(stop), shifted(time)],
        ...rest,
      ])
      return decodeBody({ Series: [{ ...Series[0], Values }] })
    },
  })
  const readings = []
  for (; poll < polls; poll += 1) readings.push((await reader.read(never())).reading)
  return readings
}

const TIMES = ['08:20:00', '08:25:00', '08:30:00', '08:35:00']
type Tags = NonNullable<RowOptions['tags']>
/** A counter that grows by `step` with each poll. */
const counter = (measurement: string, field: string, step: number, poll: number, tags?: Tags) =>
  TIMES.slice(1).map((time, index): RowOptions => {
    return { time, value: (poll + index) * step, field, measurement, ...(tags && { tags }) }
  })
const code = (step: number, poll: number) =>
  counter(MEASUREMENTS.errorCodes.name, 'error_counter', step, poll, { code: '404' })
const succeeded = (step: number, poll: number) =>
  counter(MEASUREMENTS.transactions.name, 'succeed_request_counter', step, poll)
const failed = (step: number, poll: number) =>
  counter(MEASUREMENTS.transactions.name, 'failed_request_counter', step, poll)

/** A bound of the latency of reads with these counts, the last one at 08:35. */
const latency = (bound: string, counts: readonly number[], times = TIMES.slice(-counts.length)) =>
  counts.map((value, index): RowOptions => {
    const time = times[index] ?? ''
    return { time, value, field: bound, measurement: MEASUREMENTS.latency.name, tags: { id: 'ttfb_read' } }
  })

const TRAFFIC = 'query_traffic_disk'
/** Rows of the query of traffic only. */
const ofTraffic =
  (rowsAt: (poll: number) => readonly RowOptions[]): RowsOf =>
  (query, poll) =>
    query === TRAFFIC ? rowsAt(poll) : []

describe('errors', () => {
  const totals = (poll: number) => [...succeeded(90 + poll, poll), ...failed(10, poll)]
  const constant = (poll: number) => [...succeeded(90, poll), ...failed(10, poll)]
  const fieldsOf = ({ nodes: [node] }: PerformancePoll['reading']) => [
    node?.transactions?.succeeded,
    (node?.errorTypes?.t ?? 0) - (node?.transactions?.t ?? 0),
    node?.errorTypes?.types.map(({ errorType, count, rate }) => [errorType, count, rate?.value]),
  ]

  test('have new totals when only the query of codes fails; the codes are those of a poll before, then none', async () => {
    const readings = await readingsOf(5, (query, poll) => {
      if (query === 'query_error_codes') return poll === 0 ? code(10, poll) : undefined
      return query === TRAFFIC ? constant(poll) : []
    })
    expect(readings.map(fieldsOf)).toEqual([
      [90, 0, [['404', 10, 0.1]]],
      [90, -300, [['404', 10, 0.1]]],
      [90, -600, [['404', 10, 0.1]]],
      [90, -900, [['404', 10, 0.1]]],
      [90, expect.any(Number), undefined],
    ])
  })

  test('are those of a poll before when the query of transactions fails, and counts of codes are new', async () => {
    const readings = await readingsOf(2, (query, poll) => {
      if (query === 'query_error_codes') return code(10, poll)
      return query === TRAFFIC ? (poll === 0 ? totals(0) : undefined) : []
    })
    expect(readings.map(fieldsOf)).toEqual([
      [90, 0, [['404', 10, 0.1]]],
      [90, 300, [['404', 10, undefined]]],
    ])
  })

  test('of different times are put together at the time of the older one', async () => {
    const rows = () => totals(1).filter(({ field, time }) => field[0] === 's' || time !== '08:35:00')
    const [reading] = await readingsOf(1, ofTraffic(rows))
    const t = Date.parse('2026-07-31T08:30:00Z') / 1000
    const all = { t, value: 10 / 101 }
    expect(reading?.nodes[0]?.transactions).toEqual({ t, succeeded: 91, failed: 10, all })
  })
})

describe('an answer with fewer rows than before', () => {
  const memory = (node: string, poll: number): RowOptions => {
    return { time: '08:35:00', value: poll, field: 'used', measurement: 'mem', node }
  }
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
    const rows = (poll: number) => [
      ...service('cm', 'read_USERTotal', poll < 2 ? 300 : 600, poll),
      ...service('cm', 'read_ECTotal', 300, poll),
      ...(poll === 1 ? [] : service('blob', 'read_USERTotal', 600, poll)),
    ]
    const readings = await readingsOf(3, ofTraffic(rows))
    const ratesOf = (name: 'diskReadBandwidthUser' | 'diskReadBandwidthEc' | 'diskReadBandwidthTotal') =>
      readings.map(({ nodes }) => nodes[0]?.values.get(name)?.value)
    expect(ratesOf('diskReadBandwidthUser')).toEqual([3, 3, 4])
    expect(ratesOf('diskReadBandwidthTotal')).toEqual([4, 4, 5])
    expect(ratesOf('diskReadBandwidthEc')).toEqual([1, 1, 1])
    const times = readings.map(({ nodes }) => nodes[0]?.values.get('diskReadBandwidthUser')?.t ?? 0)
    expect(times.map((t) => t - (times[0] ?? 0))).toEqual([0, 0, 600])
  })

  test('has the histogram of a poll before as long as it lacks a bound', async () => {
    const bounds = (poll: number) => (poll === 1 ? ['+Inf'] : ['+Inf', '1.0'])
    const readings = await readingsOf(3, (query, poll) =>
      query === 'query_latency_read' ? bounds(poll).flatMap((bound) => latency(bound, [poll])) : [],
    )
    const counts = readings.map(({ nodes }) =>
      nodes[0]?.latencies
        .get('read')
        ?.buckets.map(({ count }) => count)
        .join(' '),
    )
    expect(counts).toEqual(['0 0', '0 0', '2 2'])
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

/** A counter of disk I/O of a service that adds 600 B/s to the sum. */
const service = (name: string, poll: number) =>
  counter(`${name}_IO_Statistics_data_read`, 'read_USERTotal', 180_000, poll)
const valuesIn = (
  readings: readonly PerformancePoll['reading'][],
  name: 'diskReadBandwidthUser' | 'nodeNicReceivedBandwidth',
) => readings.map(({ nodes }) => nodes[0]?.values.get(name)?.value)

describe('without the values of earlier answers', () => {
  const MODE = { keepsEarlier: false }

  test('a sum is absent while the answer lacks a service', async () => {
    const rows = (poll: number) =>
      ['blob', 'cm', ...(poll === 1 ? [] : ['sr'])].flatMap((name) => service(name, poll))
    const readings = await readingsOf(3, ofTraffic(rows), MODE)
    expect(valuesIn(readings, 'diskReadBandwidthUser')).toEqual([1800, undefined, 1800])
  })

  test('the traffic of a node is absent while the answer lacks an interface', async () => {
    const net = (name: string, step: number, poll: number) =>
      counter('net', 'bytes_recv', step, poll, { interface: name })
    const rows = (query: string, poll: number) =>
      query === 'query_network'
        ? [...net('public', 150_000, poll), ...(poll === 1 ? [] : net('private.4', 900_000, poll))]
        : []
    const readings = await readingsOf(3, rows, MODE)
    expect(valuesIn(readings, 'nodeNicReceivedBandwidth')).toEqual([3500, undefined, 3500])
    const exported = readings.map(({ nodes }) => nodes[0]?.interfaces.map(({ name }) => name))
    expect(exported).toEqual([['private.4', 'public'], ['public'], ['private.4', 'public']])
  })

  test('the ratio of errors is absent while the answer lacks the failures', async () => {
    const rows = (poll: number) => [...succeeded(97, poll), ...(poll === 1 ? [] : failed(3, poll))]
    const readings = await readingsOf(3, ofTraffic(rows), MODE)
    expect(readings.map(({ nodes: [node] }) => node?.transactions?.all?.value)).toEqual([
      0.03,
      undefined,
      0.03,
    ])
    expect(readings.map(({ nodes: [node] }) => node?.transactions?.succeeded)).toEqual([97, 97, 97])
  })

  test('errors have no categories instead of the codes of a query that fails', async () => {
    const rows = (query: string, poll: number) => {
      if (query === 'query_error_codes') return poll === 1 ? undefined : code(10, poll)
      return query === TRAFFIC ? counter(MEASUREMENTS.errors.name, 'user_errors', 10, poll) : []
    }
    const readings = await readingsOf(3, rows, MODE)
    const types = readings.map(({ nodes: [node] }) => node?.errorTypes?.types.map((one) => one.errorType))
    expect(types).toEqual([['404'], undefined, ['404']])
  })

  test('a histogram is absent while the answer lacks a bound on all nodes', async () => {
    const bounds = (poll: number) => (poll === 1 ? ['+Inf'] : ['+Inf', '1.0'])
    const rows = (query: string, poll: number) =>
      query === 'query_latency_read' ? bounds(poll).flatMap((bound) => latency(bound, [0, 5, 10])) : []
    const readings = await readingsOf(3, rows, MODE)
    const lengths = readings.map(({ nodes: [node] }) => node?.latencies.get('read')?.buckets.length)
    expect(lengths).toEqual([2, undefined, 2])
  })
})

describe('a service', () => {
  test.each([true, false])('that four polls lack is in every sum (with values before: %s)', async (kept) => {
    const rows = (poll: number) =>
      ['blob', 'cm', ...(poll > 0 && poll < 5 ? [] : ['sr'])].flatMap((name) => service(name, poll))
    const readings = await readingsOf(6, ofTraffic(rows), { keepsEarlier: kept })
    const lacking = Array.from({ length: 4 }, (_, i) => (kept && i < 3 ? 1800 : undefined))
    expect(valuesIn(readings, 'diskReadBandwidthUser')).toEqual([1800, ...lacking, 1800])
  })

  test.each([1, 2])('whose points are visible %i intervals late is in every sum', async (late) => {
    const rows = (poll: number) => {
      const measurement = 'blob_IO_Statistics_data_read'
      const early = TIMES.map((time, index): RowOptions => {
        return { time, value: (poll + index) * 180_000, field: 'read_USERTotal', measurement }
      })
      const others = early
        .slice(0, -late)
        .map((row) => ({ ...row, measurement: `cm${measurement.slice(4)}` }))
      return [...early, ...others]
    }
    expect(valuesIn(await readingsOf(2, ofTraffic(rows)), 'diskReadBandwidthUser')).toEqual([1200, 1200])
  })
})

describe('increases between different times are not combined', () => {
  const totals = (poll: number) => [...succeeded(98, poll), ...failed(2, poll)]
  const isMissing = ({ time }: RowOptions) => time === '08:30:00'
  const ratesOf = (readings: readonly PerformancePoll['reading'][]) =>
    readings.map(({ nodes: [node] }) => [
      node?.transactions?.all?.value,
      node?.errorTypes?.types.map(({ count, rate }) => [count, rate?.value]),
    ])

  test('when a point of a code is missing', async () => {
    const rows = (query: string) => {
      if (query === TRAFFIC) return totals(0)
      return query === 'query_error_codes' ? code(2, 0).filter((row) => !isMissing(row)) : []
    }
    expect(ratesOf(await readingsOf(1, rows))).toEqual([[0.02, undefined]])
  })

  test('when a point of the failures is missing', async () => {
    const rows = () => totals(0).filter((row) => !(row.field[0] === 'f' && isMissing(row)))
    expect(ratesOf(await readingsOf(1, ofTraffic(rows)))).toEqual([[undefined, undefined]])
  })

  test('when the query of codes failed, and only the newest points are right', async () => {
    const newest = (rows: readonly RowOptions[]) => rows.filter(({ time }) => time === '08:35:00')
    const rows = (query: string, poll: number) => {
      if (query === TRAFFIC) return newest(totals(poll))
      if (query !== 'query_error_codes') return []
      return poll === 2 ? undefined : newest(code(2, poll))
    }
    const readings = await readingsOf(5, rows, { keepsEarlier: false, lastOnly: true })
    expect(ratesOf(readings)).toEqual([
      [undefined, undefined],
      [0.02, [[2, 0.02]]],
      [0.02, undefined],
      [0.02, undefined],
      [0.02, [[2, 0.02]]],
    ])
  })
})

test('an answer that is repeated with the same end gets older', async () => {
  const repeated = decodeBody(bodyOf(service('cm', 0)))
  let poll = 0
  const reader = createPerformanceReader({
    ...POLLED,
    hasRangeDefect: async () => false,
    now: () => poll * 300_000,
    query: async ({ name }) => (name === TRAFFIC ? repeated : answerOf('empty')),
  })
  const found: (number | undefined)[] = []
  for (; poll < 5; poll += 1)
    found.push(...valuesIn([(await reader.read(never())).reading], 'diskReadBandwidthUser'))
  expect(found).toEqual([600, 600, 600, 600, undefined])
})

test.each([60, 600, 1200])(
  'a histogram does not decrease when an address answers whose clock is %i s behind',
  async (seconds) => {
    const rows = (query: string, poll: number) => {
      if (query !== 'query_latency_read') return []
      // The address has no points after the time of its clock.
      const missing = poll === 1 ? Math.min(1 + Math.floor(seconds / 300), TIMES.length - 1) : 0
      const known = TIMES.slice(0, TIMES.length - missing)
      const counts = known.map((_, index) => poll + index)
      return ['1.0', '+Inf'].flatMap((bound) => latency(bound, counts, known))
    }
    const readings = await readingsOf(3, rows, { behindSeconds: (poll) => (poll === 1 ? seconds : 0) })
    const counts = readings.map(({ nodes: [node] }) => node?.latencies.get('read')?.buckets[0]?.count ?? 0)
    expect(counts).toEqual([3, expect.any(Number), 5])
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  },
)
