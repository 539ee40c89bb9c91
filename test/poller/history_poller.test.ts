import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import { decodeFeed } from '../../src/api/feed/feed.ts'
import type { HistoryReading } from '../../src/api/history/history.ts'
import { historySteps } from '../../src/api/history/history.ts'
import type { Period } from '../../src/api/history/series.ts'
import { createHistoryPoller } from '../../src/poller/history_poller.ts'
import { createJournal } from '../../src/poller/journal.ts'
import { withPoll, withPools } from '../../src/poller/state.ts'
import { atOnce } from '../../src/slices.ts'
import { waitFor, waitForAssertion } from '../support/wait.ts'
import { boardOfA, ownMetrics, recordingLog } from './setup.ts'

const STEP = 300
const WINDOW = 3600
const T = 1_772_323_200

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

interface Setup {
  /** Replaces what the system answers. */
  answer: (poolId: string, period: Period) => Promise<HistoryReading>
  works: boolean
  /** Seconds since the epoch. */
  now: number
  readonly periods: Period[]
}

/** A poller of system `a` with the pools p1 and p2, whose clock is moved by the test. */
async function start(maxBytes = 1_000_000) {
  const setup: Setup = { answer: served, works: true, now: T + 60, periods: [] }
  const board = await boardOfA()
  await board.update('a', (state) =>
    withPools(
      state,
      ['p1', 'p2'].map((id) => ({ id, name: undefined })),
    ),
  )
  const log = recordingLog()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const poller = createHistoryPoller({
    system: { name: 'a' },
    history: { enabled: true, windowMs: WINDOW * 1000, intervalMs: STEP * 1000 },
    maxRandomDelayMs: 0,
    maxBytes,
    client: {
      history(poolId, period) {
        setup.periods.push(period)
        return setup.answer(poolId, period)
      },
    },
    board,
    journal: createJournal({ log, own: ownMetrics(), board, system: 'a' }),
    works: () => setup.works,
    start: async (reading) => {
      const done = reading()
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
    const { gzip } = await poller.document().packed('openmetrics')
    return [
      ...gunzipSync(gzip)
        .toString()
        .matchAll(/pool="(.*?)".* (\d+)$/gm),
    ]
      .filter(([, own]) => own === pool)
      .map(([, , t]) => Number(t))
  }
  /** Every pool was polled once, successfully. */
  const polled = async () => {
    for (const id of ['p1', 'p2'])
      await board.update('a', (state) =>
        withPoll(state, id, { at: setup.now, seconds: 1, failure: undefined }, feedOf(id)),
      )
    await board.update('a', (state) => ({ ...state, tried: true }))
  }
  return { setup, board, log, times, polled }
}

const feedOf = (pool: string) =>
  decodeFeed({
    _embedded: {
      instances: [
        {
          id: `n-${pool}`,
          displayName: `n-${pool}`,
          storagePoolName: pool,
          diskSpaceTotalCurrent: { t: T, Space: 1 },
        },
      ],
    },
  })

/** A node with all points of the period. */
async function served(pool: string, period: Period): Promise<HistoryReading> {
  const points: { t: number; Space: number }[] = []
  for (let t = period.start; t < period.end; t += STEP) points.push({ t, Space: t })
  const node = { id: `n-${pool}`, displayName: `n-${pool}`, storagePoolName: pool, diskSpaceTotal: points }
  return atOnce(historySteps({ _embedded: { instances: [node] } }, period))
}

const grid = (from: number, to: number) =>
  Array.from({ length: (to - from) / STEP + 1 }, (_, index) => from + index * STEP)

test('reads the pools when all were polled once, and then with every interval', async () => {
  const { setup, times, polled } = await start()
  expect(await times('p1')).toEqual([])
  await polled()
  const first = grid(T - WINDOW + 2 * STEP, T)
  await waitForAssertion(async () => expect([await times('p1'), await times('p2')]).toEqual([first, first]))
  expect(setup.periods).toHaveLength(2)
  setup.now += STEP
  await waitForAssertion(async () => expect(await times('p2')).toEqual(first.map((t) => t + STEP)))
  expect(setup.periods).toHaveLength(4)
})

test('until the next reading, all samples are within the window', async () => {
  const { setup, times, polled } = await start()
  await polled()
  await waitFor(async () => (await times('p2')).length > 0, { what: 'the first reading' })
  for (let step = 0; step < 3; step += 1) {
    const [oldest = 0] = await times('p1')
    const readings = setup.periods.length
    // The last moment before the next reading.
    setup.now = T + (step + 1) * STEP + 29
    expect(oldest).toBeGreaterThan(setup.now - WINDOW)
    setup.now += 2
    await waitFor(async () => setup.periods.length === readings + 2, { what: 'the next reading' })
    await waitForAssertion(async () => expect((await times('p1'))[0]).toBe(oldest + STEP))
  }
})

test('samples of a pool that cannot be read stay until they are too old, and those of the others are renewed', async () => {
  const { setup, times, polled, log, board } = await start()
  await polled()
  await waitFor(async () => (await times('p2')).length > 0, { what: 'the first reading' })
  const page = board.page()
  setup.answer = async (pool, period) => {
    if (pool === 'p1') throw new ApiError('server_error', 'broken')
    return served(pool, period)
  }
  setup.now = T + 1800
  await waitForAssertion(async () =>
    expect([await times('p1'), await times('p2')]).toEqual([
      grid(T + 1800 - WINDOW + STEP, T),
      grid(T + 1800 - WINDOW + STEP, T + 1800),
    ]),
  )
  setup.now = T + 2 * WINDOW + 60
  await waitForAssertion(async () => {
    expect(await times('p1')).toEqual([])
    expect(await times('p2')).toContain(T + 2 * WINDOW)
  })
  expect(log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'history failed', fields: { pool_id: 'p1', reason: 'server_error' } },
  ])
  expect(board.page()).toBe(page)
  setup.answer = served
  setup.now += STEP
  await waitForAssertion(async () => expect((await times('p1')).length).toBeGreaterThan(0))
  expect(log.lines.at(-1)).toMatchObject({ message: 'history works again' })
})

test('nothing is read while polls fail; old samples go, and the reading is made up for', async () => {
  const { setup, times, polled } = await start()
  await polled()
  await waitFor(async () => (await times('p2')).length > 0, { what: 'the first reading' })
  setup.works = false
  setup.now = T + 1800
  await waitForAssertion(async () => expect(await times('p1')).toEqual(grid(T + 1800 - WINDOW + STEP, T)))
  expect(setup.periods).toHaveLength(2)
  setup.works = true
  await waitForAssertion(async () => expect(await times('p1')).toContain(T + 1800))
})

test('samples with a label that the pool does not have any more are removed', async () => {
  const { setup, times, polled, board } = await start()
  await polled()
  await waitFor(async () => (await times('p2')).length > 0, { what: 'the first reading' })
  await board.update('a', (state) => withPools(state, [{ id: 'p2', name: 'p2' }]))
  setup.answer = () => Promise.reject(new ApiError('server_error', 'broken'))
  setup.now += STEP
  await waitForAssertion(async () => expect(await times('p1')).toEqual([]))
  expect((await times('p2')).length).toBeGreaterThan(0)
})

test('a pool whose samples exceed the memory is not read, and says so; the pool before it is', async () => {
  const { times, polled, log } = await start(600)
  await polled()
  await waitForAssertion(async () => expect((await times('p1')).length).toBeGreaterThan(0))
  expect(await times('p2')).toEqual([])
  expect(log.lines.at(-1)).toMatchObject({
    message: 'history failed',
    fields: { pool_id: 'p2', reason: 'too_large', error: expect.stringContaining('history.window') },
  })
})

test('a clock that is set back does not stop the readings', async () => {
  const { setup, times, polled } = await start()
  await polled()
  await waitFor(async () => (await times('p2')).length > 0, { what: 'the first reading' })
  setup.now -= 86_400
  await waitForAssertion(async () => expect((await times('p2')).at(-1)).toBe(T - 86_400))
})
