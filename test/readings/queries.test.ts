import { describe, expect, test, vi } from 'vitest'
import type { SystemClient } from '../../src/api/client.ts'
import { ApiError } from '../../src/api/errors/errors.ts'
import { bytesOf } from '../../src/state/changes.ts'
import { newSystem } from '../../src/state/state.ts'
import type { StateStore } from '../../src/state/store.ts'
import { answerOf, bodyOf, decodeBody } from '../api/query/query_files.ts'
import { MINUTE, SECOND, setUp as start, useFakeTime } from './running.ts'
import { readingOf, servesVersion, shown } from './setup.ts'

useFakeTime(Date.UTC(2026, 0, 1, 12, 0, 40))

const memory = (value: number, ...nodes: readonly string[]) =>
  decodeBody(
    bodyOf(nodes.map((node) => ({ time: '08:33:22', value, field: 'used', measurement: 'mem', node }))),
  )
const refusal = (reason: ApiError['reason'], status: number) => new ApiError(reason, 'bad', { status })

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
/** A query that is never answered. */
const hanging: SystemClient['query'] = (_query, _dialect, signal) => untilAborted(signal)

interface Options {
  readonly query: SystemClient['query']
  readonly nodes?: SystemClient['nodes']
  readonly performance?: string
  readonly poll?: string
  readonly pools?: readonly string[]
  readonly version?: string
  readonly store?: StateStore
  readonly limits?: string
}

/** A running poller of system `a` with pool `p`, which has node n1 unless given. */
async function setUp({
  query,
  nodes = async () => readingOf({ n1: 1 }),
  performance = '',
  poll = '',
  pools = ['p'],
  version = '4.3.0.0',
  limits = '',
  ...rest
}: Options) {
  const yaml = `poll: {max_random_delay: 0s${poll}}\nproviders: {schedule: ""}\nforecast: {schedule: ""}\nperformance: {${performance}}\nlimits: {${limits}}`
  const parts = await start({
    client: { nodes, query, resource: servesVersion(version) },
    yaml,
    pools,
    ...rest,
  })
  const { store, own } = parts
  return {
    ...parts,
    used: () => shown(store, 'sds_node_memory_used_bytes', 'node'),
    up: () => shown(store, 'sds_system_query_up', 'system'),
    /** Those that are not 0. */
    counters: async () =>
      [...(await own.render('text')).matchAll(/^sds_query_(\S+) ([1-9]\d*)$/gm)].map(
        ([, name, count]) => `${name} ${count}`,
      ),
    zeros: async () =>
      [...(await own.render('text')).matchAll(/^sds_query_(\S+) 0$/gm)].map(([, name]) => name),
  }
}

/** Answers with memory only; counts the polls by the first query. */
function answering(answer: (poll: number) => ReturnType<typeof memory>) {
  let polls = 0
  const query: SystemClient['query'] = async ({ name }) => {
    if (name === 'query_cpu') polls += 1
    // A failure is that of all queries.
    const found = answer(polls)
    return name === 'query_cpu' || name === 'query_memory' ? found : answerOf('empty')
  }
  return { query, polls: () => polls }
}

/** A feed with performance. */
function servingFeed() {
  const lacking = readingOf({ n1: 1 })
  const served = { served: 1, absent: 0, unreadable: 0 }
  return { ...lacking, coverage: new Map(lacking.coverage).set('nodeCpuUtilization', served) }
}

describe('the Flux API', () => {
  test('is polled after the first poll of a feed that lacks performance, then on its own schedule', async () => {
    const { query, polls } = answering((poll) => memory(poll, 'n1'))
    const { used, up, counters, logged } = await setUp({ query })
    expect([used(), up(), polls()]).toEqual([{ n1: 1 }, { a: 1 }, 1])
    await vi.advanceTimersByTimeAsync(11 * MINUTE)
    expect([used(), polls()]).toEqual([{ n1: 3 }, 3])
    expect(await counters()).toEqual(['polls_total{system="a",result="ok"} 3'])
    expect(logged().filter((line) => !line.startsWith('info'))).toEqual([])
  })

  test.each([
    ['auto', 'the feed serves performance', 0],
    ['feed', 'the feed serves performance', 0],
    ['query', 'the feed serves performance', 1],
    ['auto', 'the feed lacks it', 1],
    ['feed', 'the feed lacks it', 0],
    ['query', 'the feed lacks it', 1],
  ])('with source %s is asked, when %s: %d', async (source, feed, times) => {
    const nodes = async () => (feed.includes('lacks') ? readingOf({ n1: 1 }) : servingFeed())
    const { query, polls } = answering(() => memory(1, 'n1'))
    const { up } = await setUp({ query, nodes, performance: `source: ${source}` })
    expect([polls(), up()]).toEqual([times, times === 0 ? {} : { a: 1 }])
  })

  test('that fails leaves the values of the feed, and its own until they are too old', async () => {
    const { query } = answering((poll) => {
      if (poll > 1) throw refusal('server_error', 500)
      return memory(5, 'n1')
    })
    const { used, free, up, logged } = await setUp({ query })
    // The point was five minutes old.
    await vi.advanceTimersByTimeAsync(16 * MINUTE)
    expect([used(), up()]).toEqual([{ n1: 5 }, { a: 0 }])
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect([used(), free()]).toEqual([{}, { n1: 1 }])
    await vi.advanceTimersByTimeAsync(60 * MINUTE)
    expect(logged().filter((line) => line.startsWith('warn'))).toEqual(['warn Flux API failed server_error'])
  })

  test('that is slow does not delay polls of the feed', async () => {
    const nodes = vi.fn(async () => readingOf({ n1: nodes.mock.calls.length }))
    const { free } = await setUp({ nodes, query: hanging })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(free()).toEqual({ n1: 6 })
  })

  test.each([
    ['a missing role', refusal('forbidden', 500), 5],
    ['a failure', refusal('server_error', 500), 13],
  ])('is asked seldom after %s', async (_, failure, times) => {
    const { query, polls } = answering(() => {
      throw failure
    })
    const { up, counters } = await setUp({ query })
    await vi.advanceTimersByTimeAsync(62 * MINUTE)
    expect([polls(), up()]).toEqual([times, { a: 0 }])
    expect(await counters()).toEqual([`polls_total{system="a",result="${failure.reason}"} ${times}`])
  })

  test.each([
    ['no service', refusal('not_found', 503), 590],
    ['a failure', refusal('server_error', 500), 290],
  ])('is asked again after %s in its time', async (_, failure, seconds) => {
    const { query, polls } = answering(() => {
      throw failure
    })
    await setUp({ query })
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(polls()).toBe(3)
    await vi.advanceTimersByTimeAsync((seconds - 2) * SECOND)
    expect(polls()).toBe(3)
    // It is asked after a poll of the feed, which is every minute.
    await vi.advanceTimersByTimeAsync(MINUTE + 4 * SECOND)
    expect(polls()).toBe(4)
  })

  test('is asked at once when the feed lacks performance after an upgrade', async () => {
    let isUpgraded = false
    const { query, polls } = answering(() => memory(1, 'n1'))
    const nodes = async () => (isUpgraded ? readingOf({ n1: 1 }) : servingFeed())
    const { used, up } = await setUp({ query, nodes })
    await vi.advanceTimersByTimeAsync(6 * MINUTE)
    expect([polls(), up()]).toEqual([0, {}])
    isUpgraded = true
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect([polls(), used(), up()]).toEqual([1, { n1: 1 }, { a: 1 }])
  })

  test.each([
    ['auto', true],
    ['feed', false],
  ])('with source %s has counters from the start: %j', async (source, expected) => {
    const { zeros } = await setUp({ query: hanging, performance: `source: ${source}` })
    expect((await zeros()).includes('polls_total{system="a",result="ok"}')).toBe(expected)
  })

  test('without data is reported once, and asked on', async () => {
    const { query, polls } = answering(() => answerOf('empty'))
    const { up, counters, logged } = await setUp({ query })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect([polls(), up()]).toEqual([2, { a: 1 }])
    expect(await counters()).toContain('polls_total{system="a",result="empty"} 2')
    expect(logged()).toEqual(['info the Flux API has no current data'])
  })

  test('counts rows of nodes that no pool has', async () => {
    const { query } = answering(() => memory(1, 'n1', 'other'))
    const { used, counters, logged } = await setUp({ query })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(used()).toEqual({ n1: 1 })
    // One row of each of two queries and polls.
    expect(await counters()).toContain('unmatched_rows_total{system="a"} 4')
    expect(logged().filter((line) => line.includes('no polled pool'))).toHaveLength(1)
  })

  test('does not count rows while the nodes of a pool are unknown', async () => {
    const { query } = answering(() => memory(1, 'n1', 'other'))
    const nodes = async (pool: string) => {
      if (pool === 'q') throw refusal('timeout', 500)
      return readingOf({ n1: 1 }, pool)
    }
    const { used, counters, logged } = await setUp({ query, nodes, pools: ['p', 'q'] })
    expect(used()).toEqual({ n1: 1 })
    expect(await counters()).toEqual(['polls_total{system="a",result="ok"} 1'])
    expect(logged()).not.toContainEqual(expect.stringContaining('error'))
  })

  test('that serves only some of the figures is logged once for each of the others', async () => {
    const query: SystemClient['query'] = async ({ name }) => {
      if (name.includes('latency')) throw refusal('server_error', 500)
      if (name !== 'query_memory') return answerOf('empty')
      return decodeBody(
        bodyOf([
          { time: '08:33:22', value: 1, field: 'used', measurement: 'mem', node: 'n1' },
          { time: '08:33:22', value: 'x', field: 'used', measurement: 'mem', node: 'n2' },
        ]),
      )
    }
    const { used, up, logged } = await setUp({ query })
    expect([used(), up()]).toEqual([{ n1: 1 }, { a: 1 }])
    const lines = logged()
    expect(lines).toContain('warn a value of the Flux API was not exported text')
    expect(lines).toContain('warn a query failed: there are no new values of it server_error')
    expect(lines).toContain('info a query has no data')
    expect(lines).not.toContain('info the Flux API has no current data')
    await vi.advanceTimersByTimeAsync(10 * MINUTE)
    expect(logged()).toEqual(lines)
  })

  test('has the remedies of the Flux API, not those of pools', async () => {
    const { query } = answering(() => {
      throw refusal('not_found', 503)
    })
    const { store } = await setUp({ query })
    expect(store.system('a')?.performance?.failure).toMatchObject({
      remedy: expect.stringContaining('performance.source: feed'),
      at: expect.closeTo(Date.now() / SECOND, 0),
    })
  })

  test('of which queries fail while others succeed says which, until they succeed', async () => {
    let fails = true
    const query: SystemClient['query'] = async ({ name }) => {
      if (fails && name.includes('latency')) throw refusal('client_error', 500)
      return name === 'query_memory' ? memory(1, 'n1') : answerOf('empty')
    }
    const { store, up } = await setUp({ query })
    const failureIn = () => store.system('a')?.performance?.partFailure
    expect(failureIn()).toMatchObject({
      reason: 'client_error',
      message: 'query_latency_read, and 1 more: bad; the values are not renewed',
      remedy: 'report these queries with the version of the system',
      at: expect.closeTo(Date.now() / SECOND, 0),
    })
    expect(up()).toEqual({ a: 1 })
    fails = false
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect(failureIn()).toBeUndefined()
  })

  test('of which one query fails keeps the values of that query', async () => {
    let poll = 0
    const query: SystemClient['query'] = async ({ name }) => {
      if (name === 'query_cpu') poll += 1
      if (name === 'query_cpu') return memory(poll, 'n2')
      if (name !== 'query_memory') return answerOf('empty')
      if (poll > 1) throw refusal('server_error', 500)
      return memory(poll, 'n1')
    }
    const { used, up } = await setUp({ query, nodes: async () => readingOf({ n1: 1, n2: 1 }) })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect([used(), up()]).toEqual([{ n1: 1, n2: 2 }, { a: 1 }])
  })

  test('whose figures take more memory than allowed leaves the values of the feed', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`)
    const { query } = answering(() => memory(1, ...names))
    const nodes = async (pool: string) => {
      const own = pool === 'p' ? names.slice(0, 100) : names.slice(100)
      return readingOf(Object.fromEntries(own.map((name) => [name, 1])), pool)
    }
    const pools = ['p', 'q']
    const unbounded = await setUp({ query, nodes, pools })
    const bytes = bytesOf(unbounded.store.system('a') ?? newSystem('a'))
    const limits = `max_response_bytes: ${bytes - 1}B`
    const { store, used, free, up } = await setUp({ query, nodes, pools, limits })
    expect(store.system('a')?.performance?.failure?.reason).toBe('too_large')
    expect([used(), up(), Object.keys(free()).length]).toEqual([{}, { a: 0 }, 200])
  })

  test.each([
    ['3.8.0.1', true],
    ['4.3.0.0', false],
  ])('of version %s is asked for last values only: %j', async (version, expected) => {
    const lastOnly = new Set<boolean>()
    const query: SystemClient['query'] = async (_query, dialect) => {
      lastOnly.add(dialect.lastOnly)
      return answerOf('empty')
    }
    await setUp({ query, version })
    expect(lastOnly).toEqual(new Set([expected]))
  })

  test('with an internal error fail with reason local, and are asked again on schedule', async () => {
    const { query, polls } = answering(() => {
      throw new TypeError('a bug')
    })
    const { up, logged } = await setUp({ query })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    expect([polls(), up()]).toEqual([2, { a: 0 }])
    expect(logged()).toEqual(['warn Flux API failed local'])
  })

  test('changes nothing any more when the poller is stopped', async () => {
    const answer = Promise.withResolvers<never>()
    const { poller, up, logged } = await setUp({ query: () => answer.promise })
    await vi.advanceTimersByTimeAsync(SECOND)
    const stopped = poller.stop()
    answer.reject(refusal('reset', 500))
    await vi.advanceTimersByTimeAsync(SECOND)
    await stopped
    expect([up(), logged(), vi.getTimerCount()]).toEqual([{}, [], 0])
  })
})

describe('values of the Flux API', () => {
  /** Answers once, then fails. */
  const once = (answer: ReturnType<typeof memory>) =>
    answering((poll) => {
      if (poll > 1) throw refusal('server_error', 500)
      return answer
    }).query
  // The answer is of 08:38:22 by the clock of the system.
  const ofTwoAges = () =>
    decodeBody(
      bodyOf([
        { time: '08:33:22', value: 1, field: 'used', measurement: 'mem', node: 'n1' },
        { time: '08:37:22', value: 2, field: 'used', measurement: 'mem', node: 'n2' },
      ]),
    )
  const nodes = async () => readingOf({ n1: 1, n2: 1 })

  test('are withdrawn one by one, each at its own age', async () => {
    const { used, store } = await setUp({ query: once(ofTwoAges()), nodes })
    await vi.advanceTimersByTimeAsync(16.5 * MINUTE)
    expect(used()).toEqual({ n1: 1, n2: 2 })
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(used()).toEqual({ n2: 2 })
    await vi.advanceTimersByTimeAsync(3 * MINUTE)
    expect(used()).toEqual({ n2: 2 })
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(used()).toEqual({})
    expect(store.system('a')?.performance).toMatchObject({
      reading: undefined,
      failure: { at: expect.any(Number) },
    })
  })

  test('are withdrawn on time while the same answer is repeated, whose end does not move', async () => {
    const { used, up } = await setUp({ query: answering(() => ofTwoAges()).query, nodes })
    await vi.advanceTimersByTimeAsync(16.5 * MINUTE)
    expect(used()).toEqual({ n1: 1, n2: 2 })
    await vi.advanceTimersByTimeAsync(MINUTE)
    expect(used()).toEqual({ n2: 2 })
    await vi.advanceTimersByTimeAsync(4 * MINUTE)
    expect([used(), up()]).toEqual([{}, { a: 1 }])
  })

  test('are kept for stale_after, where it is longer', async () => {
    const { used } = await setUp({ query: once(memory(1, 'n1')), poll: ', stale_after: 60m' })
    await vi.advanceTimersByTimeAsync(54 * MINUTE)
    expect(used()).toEqual({ n1: 1 })
    await vi.advanceTimersByTimeAsync(2 * MINUTE)
    expect(used()).toEqual({})
  })

  test('of an earlier poller are withdrawn on time', async () => {
    const first = await setUp({ query: once(ofTwoAges()), nodes })
    await vi.advanceTimersByTimeAsync(5 * MINUTE)
    const stopped = first.poller.stop()
    await vi.advanceTimersByTimeAsync(SECOND)
    await stopped
    expect(vi.getTimerCount()).toBe(0)
    const query = async () => Promise.reject(refusal('server_error', 500))
    const { used } = await setUp({ query, nodes, store: first.store })
    expect(used()).toEqual({ n1: 1, n2: 2 })
    await vi.advanceTimersByTimeAsync(12.5 * MINUTE)
    expect(used()).toEqual({ n2: 2 })
  })
  test('are removed when a reload turns the queries off', async () => {
    const { query } = answering(() => memory(1, 'n1'))
    const first = await setUp({ query })
    const stopped = first.poller.stop()
    await vi.advanceTimersByTimeAsync(SECOND)
    await stopped
    const { used, up } = await setUp({ query, performance: 'source: feed', store: first.store })
    expect([used(), up()]).toEqual([{}, {}])
  })

  test('are removed when the feed serves performance itself', async () => {
    const { query } = answering(() => memory(1, 'n1'))
    let feed = readingOf({ n1: 1 })
    const { used, up, logged } = await setUp({ query, nodes: async () => feed })
    expect(used()).toEqual({ n1: 1 })
    feed = servingFeed()
    await vi.advanceTimersByTimeAsync(20 * MINUTE)
    expect([used(), up(), logged()]).toEqual([
      {},
      {},
      expect.not.arrayContaining([expect.stringContaining('error')]),
    ])
  })
})
