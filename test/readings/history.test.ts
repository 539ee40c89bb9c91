import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { decodeFeed } from '../../src/api/feed/feed.ts'
import { decodeHistory, type HistoryReading, type Period } from '../../src/api/history/history.ts'
import { createHistory } from '../../src/readings/history.ts'
import { createReadingLog } from '../../src/readings/reading_log.ts'
import { withPoll, withPools } from '../../src/state/changes.ts'
import { configOf, onlySystem, ownMetrics, recordingLog, shown, storeOfA } from './setup.ts'

const STEP = 300
const WINDOW = 3600
const T = 1_772_323_200

/** Between two looks at the clock. */
const LOOK_MS = 1000

const ends: (() => void)[] = []
// The poller looks at the clock when the test says so.
const toFake = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const
beforeEach(() => void vi.useFakeTimers({ toFake: [...toFake] }))
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

interface Setup {
  /** Replaces what the system answers. */
  answer: (poolId: string, period: Period) => Promise<HistoryReading>
  works: boolean
  /** Seconds since the epoch. */
  now: number
  readonly periods: Period[]
  /** Of readings. */
  readonly failures: unknown[]
}

/** A poller of system `a` with the pools p1 and p2, whose clock is moved by the test. */
async function start({ maxBytes = 1_000_000, maxRandomDelayMs = 0 } = {}) {
  const setup: Setup = { answer: served, works: true, now: T + 60, periods: [], failures: [] }
  const store = await storeOfA()
  const pools = ['p1', 'p2'].map((id) => ({ id, name: undefined }))
  await store.update('a', (state) => withPools(state, pools))
  const log = recordingLog()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const { poll, limits } = onlySystem(configOf())
  const poller = createHistory({
    system: {
      name: 'a',
      poll: { ...poll, maxRandomDelayMs },
      limits: { ...limits, maxResponseBytes: maxBytes },
    },
    history: { enabled: true, windowMs: WINDOW * 1000, intervalMs: STEP * 1000 },
    client: {
      history(poolId, period) {
        setup.periods.push(period)
        return setup.answer(poolId, period)
      },
    },
    store,
    log: createReadingLog({ log, own: ownMetrics(), store, system: 'a' }),
    works: () => setup.works,
    start: async (reading) => {
      const done = reading().catch((failure: unknown) => void setup.failures.push(failure))
      running.add(done)
      await done
    },
    signal: stopping.signal,
    now: () => setup.now * 1000,
  })
  ends.push(() => {
    poller.stop()
    stopping.abort()
  })
  poller.start()
  const times = async (pool: string): Promise<number[]> => {
    const { gzip } = await poller.document().packed()
    const samples = [...String(gunzipSync(gzip)).matchAll(/pool="(.*?)".* (\d+)000$/gm)]
    return samples.filter(([, own]) => own === pool).map(([, , t]) => Number(t))
  }
  /** The poller looks at the clock once. */
  const begin = async () => {
    vi.advanceTimersByTime(LOOK_MS)
    await new Promise(setImmediate)
  }
  /** The poller looks at the clock once, and ends the reading that it starts. */
  const look = async () => {
    await begin()
    await Promise.all(running)
    await new Promise(setImmediate)
  }
  /** These pools were polled once, successfully, and no other is to be. */
  const polled = async (pools: readonly string[] = ['p1', 'p2']) => {
    for (const id of pools)
      await store.update('a', (state) =>
        withPoll(state, id, { at: setup.now, seconds: 1, failure: undefined }, feedOf(id)),
      )
    await store.update('a', (state) => ({ ...state, tried: true }))
  }
  return { poller, setup, store, log, times, polled, begin, look, stopping }
}

/** A node of the pool with these members. */
const answerOf = (pool: string, members: object) => {
  const node = { id: `n-${pool}`, displayName: `n-${pool}`, storagePoolName: pool, ...members }
  return { _embedded: { instances: [node] } }
}
const feedOf = (pool: string) => decodeFeed(answerOf(pool, { diskSpaceTotalCurrent: { t: T, Space: 1 } }))

/** A node with these points of the period. */
const withPoints = (pool: string, period: Period, diskSpaceTotal: readonly object[]) =>
  decodeHistory(answerOf(pool, { diskSpaceTotal }), { period, respondedAt: period.end })

/** A node with all points of the period. */
async function served(pool: string, period: Period): Promise<HistoryReading> {
  const points = period.start < period.end ? grid(period.start, period.end - 1) : []
  return withPoints(
    pool,
    period,
    points.map((t) => ({ t, Space: t })),
  )
}

const grid = (from: number, to: number) =>
  Array.from({ length: Math.floor((to - from) / STEP) + 1 }, (_, index) => from + index * STEP)

test('reads the pools when all were polled once, and then with every interval', async () => {
  const { setup, times, polled, look } = await start()
  expect(await times('p1')).toEqual([])
  await look()
  expect(await times('p1')).toEqual([])
  await polled()
  await look()
  const first = grid(T - WINDOW + 2 * STEP, T)
  expect([await times('p1'), await times('p2')]).toEqual([first, first])
  await look()
  expect(setup.periods).toHaveLength(2)
  setup.now += STEP
  await look()
  expect(await times('p2')).toEqual(first.map((t) => t + STEP))
  expect(setup.periods).toHaveLength(4)
})

test('a pool without values is left out', async () => {
  const { setup, polled, times, look } = await start()
  await polled(['p2'])
  await look()
  expect(await times('p2')).not.toEqual([])
  expect([setup.periods.length, setup.failures]).toEqual([1, []])
})

test('a reading that takes longer than the interval is not started twice', async () => {
  const { setup, polled, begin, look } = await start()
  await polled()
  const answered = Promise.withResolvers<void>()
  setup.answer = (pool, period) => answered.promise.then(() => served(pool, period))
  await begin()
  setup.now += STEP
  await begin()
  expect(setup.periods).toHaveLength(1)
  answered.resolve()
  await look()
  await look()
  expect(setup.periods).toHaveLength(4)
})

test('until the next reading, all samples are within the window', async () => {
  const { setup, times, polled, look } = await start()
  await polled()
  await look()
  for (let step = 0; step < 3; step += 1) {
    const [oldest = 0] = await times('p1')
    const readings = setup.periods.length
    // The last moment before the next reading.
    setup.now = T + (step + 1) * STEP + 29
    await look()
    expect(setup.periods).toHaveLength(readings)
    expect(oldest).toBeGreaterThan(setup.now - WINDOW)
    setup.now += 2
    await look()
    expect(setup.periods).toHaveLength(readings + 2)
    expect((await times('p1'))[0]).toBe(oldest + STEP)
  }
})

/** Looks at each of the times, and compares how many readings there were by then. */
async function expectReadings(
  { setup, look }: Pick<Awaited<ReturnType<typeof start>>, 'setup' | 'look'>,
  expected: readonly (readonly [now: number, readings: number])[],
): Promise<void> {
  for (const [now, readings] of expected) {
    setup.now = now
    await look()
    expect(setup.periods).toHaveLength(readings)
  }
}

test('readings begin up to a quarter of the interval later', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const { polled, ...clock } = await start({ maxRandomDelayMs: 3_600_000 })
  await polled()
  const latest = T + STEP + 30 + STEP / 8
  await expectReadings(clock, [
    [T + 60, 2],
    [latest - 1, 2],
    [latest + 1, 4],
  ])
})

test('samples of a pool that cannot be read stay until they are too old, and those of the others are renewed', async () => {
  const { setup, times, polled, log, store, look } = await start()
  await polled()
  await look()
  const exposition = store.exposition()
  setup.answer = async (pool, period) => {
    if (pool === 'p1') throw new ApiError('server_error', 'broken')
    return served(pool, period)
  }
  setup.now = T + 1800
  await look()
  expect([await times('p1'), await times('p2')]).toEqual([
    grid(T + 1800 - WINDOW + STEP, T),
    grid(T + 1800 - WINDOW + STEP, T + 1800),
  ])
  setup.now = T + 2 * WINDOW + 60
  await look()
  expect(await times('p1')).toEqual([])
  expect(await times('p2')).toContain(T + 2 * WINDOW)
  expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'history failed', fields: { pool_id: 'p1', reason: 'server_error' } },
  ])
  expect(store.exposition()).toBe(exposition)
  setup.answer = served
  setup.now += STEP
  await look()
  expect((await times('p1')).length).toBeGreaterThan(0)
  expect(log.lines.at(-1)).toMatchObject({ message: 'history works again' })
})

test('nothing is read while polls fail; old samples go, and the reading is made up for', async () => {
  const { setup, times, polled, look } = await start()
  await polled()
  await look()
  setup.works = false
  setup.now = T + 1800
  vi.advanceTimersByTime(STEP * 1000)
  await look()
  expect(await times('p1')).toEqual(grid(T + 1800 - WINDOW + STEP, T))
  expect(setup.periods).toHaveLength(2)
  setup.works = true
  await look()
  expect(await times('p1')).toContain(T + 1800)
})

test('samples with a label that the pool does not have any more are removed', async () => {
  const { setup, times, polled, store, look } = await start()
  await polled()
  await look()
  await store.update('a', (state) => withPools(state, [{ id: 'p2', name: 'p2' }]))
  setup.answer = () => Promise.reject(new ApiError('server_error', 'broken'))
  setup.now += STEP
  await look()
  expect(await times('p1')).toEqual([])
  expect((await times('p2')).length).toBeGreaterThan(0)
})

test('a pool whose samples exceed the memory is not read, and says so; the pool before it is, each time', async () => {
  const { poller, setup, times, polled, log, look } = await start({ maxBytes: 600 })
  await polled()
  await look()
  expect(await times('p1')).toContain(T)
  expect(await times('p2')).toEqual([])
  expect(log.lines.at(-1)).toMatchObject({
    message: 'history failed',
    fields: { pool_id: 'p2', reason: 'too_large', error: expect.stringContaining('history.window') },
  })
  expect([...poller.failures()]).toMatchObject([['p2', { reason: 'too_large', at: setup.now }]])
  setup.now += STEP
  await look()
  expect(await times('p1')).toContain(T + STEP)
})

test('a history without samples says why: the clock of the system differs by more than the window', async () => {
  const { poller, setup, polled, store, log, look } = await start()
  await polled(['p1'])
  setup.answer = (_, period) =>
    Promise.resolve(decodeHistory({ _embedded: { instances: [] } }, { period, respondedAt: T - 2 * WINDOW }))
  await look()
  expect([...poller.failures()]).toEqual([])
  await store.update('a', (state) => ({ ...state, clockSkewSeconds: -2 * WINDOW }))
  setup.now += STEP
  await look()
  const remedy = expect.stringContaining('NTP')
  const message = expect.stringContaining('2h behind')
  expect([...poller.failures()]).toMatchObject([['p1', { message, remedy }]])
  expect(log.lines.at(-1)).toMatchObject({ message: 'history failed', fields: { pool_id: 'p1' } })
  setup.answer = served
  setup.now += STEP
  await look()
  expect([...poller.failures()]).toEqual([])
})

test('a clock that is set back does not stop the readings', async () => {
  const { setup, times, polled, look } = await start()
  await polled()
  await look()
  setup.now -= 86_400
  await look()
  expect((await times('p2')).at(-1)).toBe(T - 86_400)
})

test('of the points of an interval, the first one is kept', async () => {
  const { setup, polled, times, look } = await start({ maxBytes: 10_000 })
  await polled(['p1'])
  setup.answer = async (pool, period) => {
    const length = (period.end - period.start) * 10
    const points = Array.from({ length }, (_, index) => ({ t: period.start + index / 10, Space: 1 }))
    return withPoints(pool, period, points)
  }
  await look()
  expect(await times('p1')).toEqual(grid(T - WINDOW + 2 * STEP, T))
})

test('what is unusual in the answers is logged once; rejected values are counted', async () => {
  const { setup, store, polled, log, look } = await start()
  await polled(['p1'])
  setup.answer = async (pool, period) => {
    const times = grid(period.start, period.end - STEP).filter((t) => t % (2 * STEP) === 0)
    return withPoints(
      pool,
      period,
      times.map((t, index) => ({ t, Space: index === 0 ? 'x' : t })),
    )
  }
  await look()
  setup.now += STEP
  await look()
  const message = expect.stringContaining('every 600 s')
  expect(log.lines).toMatchObject([
    { level: 'info', message, fields: { system: 'a', pool_id: 'p1' } },
    { level: 'warn', fields: { attribute: 'diskSpaceTotal', value: 'x' } },
  ])
  // The promise of an update resolves when the exposition shows it and those before it.
  await store.update('a', (state) => ({ ...state }))
  const counted = shown(store, 'sds_api_rejected_values_total', 'attribute')
  expect(counted['diskSpaceTotal']).toBeGreaterThan(0)
})

test('an internal error ends the reading; that the poller stops is no failure', async () => {
  const { setup, polled, log, begin, look, stopping } = await start()
  await polled()
  setup.answer = () => Promise.reject(new TypeError('a bug'))
  await look()
  const error = expect.stringContaining('TypeError: a bug')
  expect(log.lines.splice(0)).toMatchObject([
    { message: 'history failed', fields: { reason: 'local', error } },
  ])
  const answered = Promise.withResolvers<HistoryReading>()
  setup.answer = () => answered.promise
  setup.now += STEP
  await begin()
  stopping.abort(new Error('stopped'))
  answered.reject(new ApiError('reset', 'aborted'))
  await look()
  expect(log.lines).toEqual([])
})
