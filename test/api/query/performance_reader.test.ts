import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/api/errors/errors.ts'
import type { QueryAnswer } from '../../../src/api/query/answers/answer.ts'
import { createPerformanceReader } from '../../../src/api/query/performance_reader.ts'
import type { Dialect, Query } from '../../../src/api/query/requests/queries.ts'
import { MEASUREMENTS } from '../../../src/query_catalogue.ts'
import { never } from '../http/responses.ts'
import { answerOf, bodyOf, decodeBody, POLLED, type RowOptions, START } from './query_files.ts'

const LATENCY = MEASUREMENTS.latency.name
type Answering = (query: Query, dialect: Dialect) => QueryAnswer

interface Options {
  readonly answer?: Answering
  readonly hasRangeDefect?: () => boolean | undefined
  readonly now?: () => number
  readonly maxSeries?: number
}

/** A reader of a system that answers like this, and the names of the queries that it got. */
function readerOf({
  answer = () => answerOf('empty'),
  hasRangeDefect = () => false,
  now = () => 0,
  maxSeries = 1000,
}: Options) {
  const asked: string[] = []
  const reader = createPerformanceReader({
    ...POLLED,
    hasRangeDefect: async () => hasRangeDefect(),
    now,
    maxSeries,
    async query(query, dialect) {
      asked.push(`${query.name}${dialect.lastOnly ? ' last' : ''}`)
      return answer(query, dialect)
    },
  })
  return { asked: () => asked.splice(0), read: () => reader.read(never()) }
}

const ALL = [
  'query_cpu',
  'query_memory',
  'query_network',
  'query_traffic_disk',
  'query_latency_read',
  'query_latency_write',
  'query_error_codes',
]
const refusal = (detail = 'failed to compile query') => new ApiError('client_error', detail)
const SLOW = new ApiError('timeout', 'slow')
/** Answers or failures of queries by their names; other answers have no rows. */
const answering =
  (answers: Readonly<Record<string, QueryAnswer | ApiError>>): Answering =>
  ({ name }) => {
    const answer = answers[name] ?? answerOf('empty')
    if (answer instanceof ApiError) throw answer
    return answer
  }
const refusing = (failure: ApiError, ...names: string[]): Answering =>
  answering(Object.fromEntries(names.map((name) => [name, failure])))
/** Rows of one field, each five minutes later, up to 08:35. */
const row = (measurement: string, field: string, ...values: readonly (number | null)[]) =>
  decodeBody(
    bodyOf(
      values.map((value, index) => {
        const time = ['08:25:00', '08:30:00', '08:35:00'].at(index - values.length) ?? ''
        return { time, value, field, measurement }
      }),
    ),
  )

describe('a reader', () => {
  test('asks each query once, one after the other', async () => {
    const { read, asked } = readerOf({})
    const { reading, failed, empty } = await read()
    expect([reading.stop, reading.nodes, failed, empty]).toEqual([undefined, [], [], ALL])
    expect(asked()).toEqual(ALL)
  })

  test.each([
    ['refused', refusal()],
    ['of an operation that is not allowed', refusal("operation 'last' is not allowed")],
    ['of tables that cannot be merged', refusal('merges tables with different schemas')],
    ['answered too largely', new ApiError('too_large', 'large')],
    ['answered without columns', new ApiError('schema', 'the answer to a query lacks the columns process')],
  ])('splits a query that is %s, and joins the parts again after an hour', async (_, failure) => {
    let nowMs = 0
    const { read, asked } = readerOf({
      answer: refusing(failure, 'query_traffic_disk', 'query_disk'),
      now: () => nowMs,
    })
    await read()
    const smaller = ['query_traffic', 'query_disk_read', 'query_disk_write']
    expect(asked()).toEqual([...ALL, 'query_traffic', 'query_disk', ...smaller.slice(1)])
    await read()
    expect(asked()).toEqual([...ALL.slice(0, 3), ...smaller, ...ALL.slice(4)])
    nowMs = 3_600_000
    await read()
    expect(asked()).toContain('query_traffic_disk')
  })

  test.each([
    ['timeout', 'timed out'],
    ['server_error', 'the query failed (HTTP 500): internal error'],
    ['schema', 'the answer to a query is not an object'],
    ['syntax', 'not valid JSON'],
  ] as const)('does not split a query whose failure passes: %s', async (reason, detail) => {
    const { read, asked } = readerOf({ answer: refusing(new ApiError(reason, detail), 'query_traffic_disk') })
    const { failed } = await read()
    expect([failed.map(({ name }) => name), asked()]).toEqual([['query_traffic_disk'], ALL])
    await read()
    expect(asked()).toEqual(ALL)
  })

  describe('of a system that answers combined queries without rows', () => {
    const THROUGHPUT = row(MEASUREMENTS.throughput.name, 'total_read_requests_size', 0, 300)
    const CPU_ONLY = { query_cpu: answerOf('cpu') }
    const parts = (...names: string[]) => names.map((name) => `query_${name}`)
    const NETWORK = parts(
      'network',
      ...['bytes_recv', 'bytes_sent', 'speed', 'utilization'].map((f) => `network_${f}`),
    )

    test('sends the parts once, and from then on those with rows', async () => {
      const { read, asked } = readerOf({ answer: answering({ ...CPU_ONLY, query_throughput: THROUGHPUT }) })
      const { reading } = await read()
      const found = reading.nodes.flatMap(({ values }) => values.get('transactionReadBandwidth')?.value ?? [])
      expect(found).toEqual([1])
      expect(asked().slice(ALL.length)).toEqual(
        expect.arrayContaining(['query_throughput', 'query_disk_read']),
      )
      await read()
      expect(asked()).toEqual([
        ...ALL.slice(0, 3),
        ...parts('transactions', 'throughput', 'errors', 'disk'),
        ...ALL.slice(4),
      ])
    })

    test('sends the combined query again if the parts have no rows either, and the parts after an hour', async () => {
      let nowMs = 0
      const { read, asked } = readerOf({ answer: answering(CPU_ONLY), now: () => nowMs })
      await read()
      const first = asked()
      expect(first).toEqual(expect.arrayContaining(NETWORK))
      await read()
      expect(asked()).toEqual(ALL)
      nowMs = 3_600_000
      await read()
      expect(asked()).toEqual(first)
    })

    test('sends no parts if no query has rows', async () => {
      const { read, asked } = readerOf({})
      await read()
      expect(asked()).toEqual(ALL)
    })
  })

  test('reports a query that fails for good, with the values of the others', async () => {
    const answer = answering({ query_memory: refusal(), query_cpu: answerOf('cpu') })
    const { reading, failed, empty } = await readerOf({ answer }).read()
    expect(failed.map(({ name }) => name)).toEqual(['query_memory'])
    expect(empty).toEqual(ALL.slice(2))
    expect(reading.nodes.map(({ values }) => [...values.keys()])).toEqual([
      ['nodeCpuUtilization'],
      ['nodeCpuUtilization'],
    ])
  })

  test('has no sum of disk I/O when the query of a part failed', async () => {
    const user = row('cm_IO_Statistics_data_read', 'read_USERTotal', 0, 300)
    const answer: Answering = (query, dialect) => {
      if (/disk$|disk_read$|read_EC/.test(query.name)) throw new ApiError('too_large', 'large')
      return answering({ query_disk_read_USERTotal: user })(query, dialect)
    }
    const { reading } = await readerOf({ answer }).read()
    const [node] = reading.nodes
    expect(node && [...node.values]).toMatchObject([['diskReadBandwidthUser', { value: 1 }]])
  })

  test('keeps values whose query fails for a time, until they are too old', async () => {
    const answers: Record<string, QueryAnswer | ApiError> = {
      query_cpu: answerOf('cpu'),
      query_memory: answerOf('memory'),
    }
    const { read } = readerOf({ answer: (...query) => answering(answers)(...query) })
    const attributesIn = async () => {
      const { reading, failed } = await read()
      return [
        failed.map(({ name }) => name),
        reading.nodes.map(({ values }) => [...values.keys()].toSorted()),
      ]
    }
    const all = ['nodeCpuUtilization', 'nodeMemoryUtilization', 'nodeMemoryUtilizationBytes']
    expect(await attributesIn()).toEqual([[], [all, all]])
    answers['query_memory'] = SLOW
    expect(await attributesIn()).toEqual([['query_memory'], [all, all]])
    expect(await attributesIn()).toEqual([['query_memory'], [all, all]])
  })

  const used = (...nodes: readonly string[]) =>
    decodeBody(
      bodyOf(nodes.map((node) => ({ time: '08:35:00', value: 5, field: 'used', measurement: 'mem', node }))),
    )

  test('refuses answers with too many series', async () => {
    const answer = answering({ query_cpu: used('n1', 'n2'), query_memory: used('n3', 'n4') })
    const failedOf = async (maxSeries: number) => (await readerOf({ answer, maxSeries }).read()).failed
    expect(await failedOf(4)).toEqual([])
    const failure = { reason: 'too_large', detail: 'the answers to the queries have more than 3 series' }
    expect(await failedOf(3)).toMatchObject([{ name: 'query_memory', failure }])
  })

  test('remembers no more series than an answer may have', async () => {
    let poll = 0
    const answer: Answering = (...query) => answering({ query_memory: used(`n${poll}`) })(...query)
    const { read } = readerOf({ answer, maxSeries: 2 })
    const nodes: number[] = []
    for (; poll < 4; poll += 1) nodes.push((await read()).reading.nodes.length)
    expect(nodes).toEqual([1, 2, 2, 2])
  })

  test('keeps nothing of a query that is answered, and nothing that is too old', async () => {
    let poll = 0
    const later = { ...answerOf('cpu'), stop: (answerOf('cpu').stop ?? 0) + 1321 }
    const answer: Answering = (...query) =>
      answering({
        query_cpu: poll === 2 ? later : answerOf('cpu'),
        query_memory: poll > 0 ? SLOW : row('mem', 'used', 5),
      })(...query)
    const { read } = readerOf({ answer })
    const memoryIn = async () =>
      (await read()).reading.nodes.flatMap(
        ({ values }) => values.get('nodeMemoryUtilizationBytes')?.value ?? [],
      )
    const found: number[][] = []
    for (poll = 0; poll < 3; poll += 1) found.push(await memoryIn())
    expect(found).toEqual([[5], [5], []])
  })

  test('asks no further after two failures of a node in a row', async () => {
    const { read, asked } = readerOf({ answer: refusing(SLOW, 'query_memory', 'query_network') })
    const { failed } = await read()
    expect(asked()).toEqual(ALL.slice(0, 3))
    expect(failed.map(({ name }) => name)).toEqual(ALL.slice(1))
  })

  test('fails when a query finds that the role is missing', async () => {
    const failure = new ApiError('forbidden', 'no role')
    const { read, asked } = readerOf({ answer: refusing(failure, 'query_memory') })
    await expect(read()).rejects.toMatchObject({ reason: 'forbidden' })
    expect(asked()).toEqual(ALL.slice(0, 2))
  })

  test.each([
    ['forbidden', 1],
    ['not_found', 1],
    ['unavailable', 2],
    ['timeout', 2],
  ] as const)('stops at a failure of the whole interface: %s', async (reason, queries) => {
    const { read, asked } = readerOf({
      answer: refusing(new ApiError(reason, 'bad'), 'query_cpu', 'query_memory'),
    })
    await expect(read()).rejects.toMatchObject({ reason })
    expect(asked()).toEqual(ALL.slice(0, queries))
  })

  test('reads the others when the first query alone takes too long', async () => {
    const answer = answering({ query_cpu: SLOW, query_memory: answerOf('memory') })
    const { failed, reading } = await readerOf({ answer }).read()
    expect([failed, reading.nodes.length]).toEqual([[{ name: 'query_cpu', failure: SLOW }], 2])
  })

  test('fails when the queries of both buckets are refused', async () => {
    const answer: Answering = () => {
      throw refusal()
    }
    const { read, asked } = readerOf({ answer })
    await expect(read()).rejects.toMatchObject({ reason: 'client_error' })
    expect(asked()).toEqual(ALL.slice(0, 5))
  })

  test('reads the other bucket when every query of the first one fails', async () => {
    const answer: Answering = ({ name, bucket }) => {
      if (bucket === 'monitoring_op')
        throw new ApiError('server_error', 'could not find bucket "monitoring_op"')
      return answerOf(name === 'query_latency_read' ? 'latency_read' : 'empty')
    }
    const { reading, failed } = await readerOf({ answer }).read()
    expect([failed.map(({ name }) => name), reading.nodes.length > 0]).toEqual([ALL.slice(0, 3), true])
  })
})

describe('a measurement with a point every 15 minutes', () => {
  const rows = (times: readonly string[], field: string, measurement: string) => {
    const body = bodyOf(times.map((time, value): RowOptions => ({ time, value, field, measurement })))
    return decodeBody(JSON.parse(JSON.stringify(body).replaceAll(START, '2026-07-31T07:46:22Z')))
  }
  const EVERY_5 = ['08:20:00', '08:25:00', '08:30:00', '08:35:00']
  const answer: Answering = ({ name }, { windowSeconds }) => {
    const times = ['08:05:00', '08:20:00', '08:35:00'].slice(windowSeconds > 1320 ? 0 : 2)
    if (name === 'query_latency_read') return rows(times, '+Inf', LATENCY)
    if (name === 'query_cpu') return rows(EVERY_5.slice(-1), 'usage_idle', 'cpu')
    if (name === 'query_network') return rows(EVERY_5, 'bytes_recv', 'net')
    return name === 'query_traffic_disk' ? rows(EVERY_5, 'read_ECTotal', 'cm_data_read') : answerOf('empty')
  }

  test('has a longer range and age limit of its own, and is the only one that is queried again', async () => {
    const windows: [string, number][] = []
    const { read } = readerOf({
      answer(query, dialect) {
        windows.push([query.name, dialect.windowSeconds])
        return answer(query, dialect)
      },
    })
    const { reading } = await read()
    const usual = ALL.map((name) => [name, 1320])
    expect(windows.splice(0)).toEqual([...usual, ['query_latency_read', 3120]])
    const subjects = ['CPU', 'network', 'disk I/O', 'transactions', 'latency'] as const
    expect(subjects.map(reading.maxAgeOf)).toEqual([1320, 1320, 1320, 1320, 3120])
    await read()
    expect(windows).toEqual(
      usual.map(([name, seconds]) => [name, name === 'query_latency_read' ? 3120 : seconds]),
    )
  })

  test('keeps its first answer when the longer range fails', async () => {
    const { read } = readerOf({
      answer(query, dialect) {
        if (dialect.windowSeconds > 1320) throw SLOW
        return answer(query, dialect)
      },
    })
    const { reading, failed } = await read()
    expect([failed, reading.nodes[0]?.values.has('diskReadBandwidthEc')]).toEqual([[], true])
  })
})

describe('a system with wrong ranges', () => {
  const writes = (time: string, value: number | null) =>
    decodeBody(
      bodyOf([
        { time, value, field: 'total_write_requests_size', measurement: MEASUREMENTS.throughput.name },
      ]),
    )
  const valueIn = (reading: { nodes: readonly { values: ReadonlyMap<string, { value: number }> }[] }) =>
    reading.nodes[0]?.values.get('transactionWriteBandwidth')?.value

  test('is asked for the newest points, and rates are those between polls', async () => {
    const points: [string, number][] = [
      ['08:25:00', 1000],
      ['08:25:00', 1000],
      ['08:30:00', 1300],
      ['08:30:00', 1300],
      ['08:35:00', 100],
    ]
    let poll = 0
    const answer: Answering = ({ name }) =>
      name === 'query_traffic_disk' ? writes(...(points[poll] ?? ['', 0])) : answerOf('empty')
    const { read, asked } = readerOf({ answer, hasRangeDefect: () => true })
    const found: (number | undefined)[] = []
    for (poll = 0; poll < points.length; poll += 1) found.push(valueIn((await read()).reading))
    expect(found).toEqual([undefined, undefined, 1, 1, undefined])
    expect(asked().slice(0, ALL.length)).toEqual(ALL.map((name) => `${name} last`))
  })

  test.each([
    ['failed', SLOW],
    ['had no rows of the node', undefined],
    ['had a value that cannot be read', null],
  ])('has a rate again with the first point after a query that %s', async (_, failure) => {
    const points: [string, number][] = [
      ['08:25:00', 1000],
      ['08:30:00', 1300],
      ['08:35:00', 1600],
    ]
    let poll = 0
    const answer: Answering = ({ name }) => {
      if (name !== 'query_traffic_disk') return answerOf('empty')
      if (poll !== 1) return writes(...(points[poll] ?? ['', 0]))
      if (failure === null) return writes('08:30:00', failure)
      if (failure !== undefined) throw failure
      return answerOf('empty')
    }
    const { read } = readerOf({ answer, hasRangeDefect: () => true })
    const found: (number | undefined)[] = []
    for (poll = 0; poll < points.length; poll += 1) found.push(valueIn((await read()).reading))
    expect(found).toEqual([undefined, undefined, 1])
  })

  /** Ranges have a point before the range, and a wrong value in it. */
  const defective: Answering = (_, { lastOnly }) =>
    decodeBody(
      bodyOf([
        ...(lastOnly ? [] : [{ time: '07:00:00', value: 1, field: 'used', measurement: 'mem' }]),
        { time: '08:30:00', value: lastOnly ? 5 : 5000, field: 'used', measurement: 'mem' },
      ]),
    )
  const LAST = ALL.map((name) => `${name} last`)

  test('is detected by points outside of the range, and asked again before a wrong value is used', async () => {
    const { read, asked } = readerOf({ answer: defective })
    const { reading } = await read()
    expect(asked()).toEqual([...ALL, ...LAST])
    expect(reading.nodes.map(({ values }) => values.get('nodeMemoryUtilizationBytes')?.value)).toEqual([5])
    await read()
    expect(asked()).toEqual(LAST)
  })

  test('that its version does not tell is asked for ranges when its version is read again', async () => {
    let answer = defective
    let hours = 0
    const { read, asked } = readerOf({ answer: (...query) => answer(...query), now: () => hours * 3_600_000 })
    await read()
    answer = () => answerOf('empty')
    hours = 1
    asked()
    await read()
    expect(asked()).toEqual(ALL)
  })

  test('of which the version could not be read is asked for it with the next poll', async () => {
    const versions = [undefined, undefined, true, false]
    const { read, asked } = readerOf({ hasRangeDefect: () => versions.shift() })
    for (let poll = 0; poll < 4; poll += 1) await read()
    const ofCpu = asked().filter((name) => name.startsWith('query_cpu'))
    expect(ofCpu.map((name) => name.endsWith(' last'))).toEqual([false, false, true, true])
  })

  test('is asked for ranges after its upgrade', async () => {
    let hasRangeDefect = true
    let hours = 0
    const { read, asked } = readerOf({ hasRangeDefect: () => hasRangeDefect, now: () => hours * 3_600_000 })
    await read()
    hasRangeDefect = false
    await read()
    expect(asked().slice(ALL.length)).toEqual(ALL.map((name) => `${name} last`))
    hours = 1
    await read()
    expect(asked()).toEqual(ALL)
  })
})
