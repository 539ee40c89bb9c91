import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import type { Period } from '../api/history/history.ts'
import type { HistoryConfig, SystemConfig } from '../config/config.ts'
import {
  createCollection,
  createHistoryDocument,
  type HistoryDocument,
  type PoolSamples,
} from '../history/recent.ts'
import { pointsPerRequest, readPool } from '../history/sources/feed_source.ts'
import { type Failure, failureOf, type PoolState, withRejected } from '../state/state.ts'
import { durationText } from '../text.ts'
import { createSource, type ReadingContext } from './source.ts'

export interface HistoryOptions extends Pick<ReadingContext, 'store' | 'log' | 'signal'> {
  readonly system: Pick<SystemConfig, 'name' | 'poll' | 'limits'>
  readonly history: HistoryConfig
  readonly client: Pick<SystemClient, 'history'>
  /** Whether polls succeed: the history of a system that does not respond is not requested. */
  readonly works: () => boolean
  /** Runs a task, and reports its failure. */
  readonly start: (task: () => Promise<void>) => Promise<void>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The last samples of a system, read regularly, one request at a time, beside its polls. */
export type History = ReturnType<typeof createHistory>

/** The samples of a pool with the label that they have. */
interface Known {
  readonly label: string
  readonly samples: PoolSamples
  /** Time after the last sample, in seconds since the epoch. */
  readonly end: number
}

type KnownPools = ReadonlyMap<string, Known>

/** The clock is checked this often, because it may be set. */
const CHECK_MS = 1000
/** Delay after the time of a point: half of the interval of the default schedule. */
const OFFSET_MS = 30_000
/** Share of the limit of a response: decoding a larger one would delay polls. */
const RESPONSE_SHARE = 0.25

export function createHistory(options: HistoryOptions) {
  const { history, store, system, log, works, start, now } = options
  const samples = createSamples(options)
  let document = createHistoryDocument([], 0)
  let dueMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  const source = createSource(
    {
      name: 'the history',
      read: samples.read,
      keep() {
        document = samples.current()
        log.note('history', undefined, undefined)
      },
      // Each pool has failures of its own besides.
      fail: (failure) => log.note('history', undefined, failure),
      drop() {
        document = samples.current()
      },
      // All samples of a reading are within the window for so long.
      leftMs: () => history.intervalMs,
      isDue: false,
    },
    options,
  )

  function check(): void {
    const nowMs = now()
    // Further ahead than the next reading: the clock was set back.
    if (nowMs >= dueMs || dueMs - nowMs > 2 * history.intervalMs) {
      dueMs = nextAfter(nowMs, options)
      source.makeDue()
    }
    if (source.isDue() && store.system(system.name)?.tried === true && works())
      void start(() => source.readIfDue())
  }

  return {
    document: (): HistoryDocument => document,
    /** Failures of the pools whose last reading failed, by id. */
    failures: samples.failures,
    /** Reads for the first time when every pool was polled once. */
    start(): void {
      timer = setInterval(check, CHECK_MS)
    },
    stop(): void {
      clearInterval(timer)
      source.forget()
    },
  }
}

function createSamples(options: HistoryOptions) {
  const { history, store, system, now } = options
  let known: KnownPools = new Map()
  let failures: ReadonlyMap<string, Failure> = new Map()
  return {
    failures: () => failures,
    /** Reads the pools one after the other. Those that cannot be read keep their samples. */
    async read(signal: AbortSignal): Promise<void> {
      const period = periodAt(now(), history)
      const failed = new Map<string, Failure>()
      for (const pool of store.system(system.name)?.pools.values() ?? []) {
        const { id } = pool.ref
        const others = [...known].filter(([other]) => other !== id)
        const bytes = others.reduce((sum, [, { samples }]) => sum + samples.bytes, 0)
        const samples = await readSamples({ ...options, signal }, pool, period, bytes)
        if (samples instanceof ApiError) failed.set(id, failureOf(samples, now() / 1000))
        else if (samples !== undefined)
          known = new Map(known).set(id, { label: pool.label, samples, end: period.end })
      }
      failures = failed
    },
    /** The remaining samples: not those that are too old or whose labels have changed. */
    current(): HistoryDocument {
      const { start } = periodAt(now(), history)
      const pools = store.system(system.name)?.pools
      const isValid = ([id, { label, end }]: [string, Known]) =>
        pools?.get(id)?.label === label && end > start
      known = new Map([...known].filter(isValid))
      const samples = [...known.values()].map((one) => one.samples)
      return createHistoryDocument(samples, start)
    },
  }
}

/**
 * The points that are read at a time: those that are within the window until the next reading, so that Prometheus does
 * not refuse the oldest ones with an `out_of_order_time_window` of the same length.
 */
function periodAt(nowMs: number, { windowMs, intervalMs }: HistoryConfig): Period {
  const interval = intervalMs / 1000
  return {
    start: Math.ceil((nowMs - windowMs + intervalMs) / intervalMs) * interval,
    end: (Math.floor(nowMs / intervalMs) + 1) * interval,
    interval,
  }
}

/** Each reading begins up to `poll.max_random_delay` later, so that systems are not read at the same moment. */
function nextAfter(nowMs: number, { history, system }: HistoryOptions): number {
  const { intervalMs } = history
  const offsetMs = Math.min(OFFSET_MS, intervalMs / 2)
  const next = (Math.floor((nowMs - offsetMs) / intervalMs) + 1) * intervalMs + offsetMs
  return next + Math.random() * Math.min(system.poll.maxRandomDelayMs, intervalMs / 4)
}

/** Undefined if the pool was never polled, so that its label and size are not known. */
async function readSamples(
  options: HistoryOptions,
  { ref, label, reading }: PoolState,
  period: Period,
  otherBytes: number,
): Promise<PoolSamples | ApiError | undefined> {
  if (reading === undefined) return undefined
  const { system, client, store, log, signal } = options
  const labels = { system: system.name, pool: label }
  /** Limit of a response, and of the samples in memory. */
  const maxBytes = system.limits.maxResponseBytes
  const collection = createCollection(labels, maxBytes - otherBytes, period.interval)
  const windows = readPool({
    client,
    poolId: ref.id,
    period,
    points: pointsPerRequest(reading, RESPONSE_SHARE * maxBytes),
    notice: (text) => log.historyNotice(ref.id, text),
    signal,
    // The next reading has the same points.
    maxRepetitions: 0,
  })
  try {
    for await (const { reading: window } of windows) {
      collection.add(window)
      log.rejected(ref.id, window.rejected)
      if (window.rejected.length > 0)
        store.update(system.name, (state) => withRejected(state, window.rejected))
    }
    const samples = collection.samples()
    if (samples.families.size === 0) checkClock(options)
    log.note('history', ref.id, undefined)
    return samples
  } catch (failure) {
    if (signal.aborted || !(failure instanceof ApiError)) throw failure
    log.note('history', ref.id, failure)
    return failure
  }
}

/** @throws {ApiError} when the system had no samples because its clock differs by more than the window */
function checkClock({ system, history, store }: HistoryOptions): void {
  const skew = store.system(system.name)?.clockSkewSeconds ?? 0
  const windowSeconds = history.windowMs / 1000
  if (Math.abs(skew) <= windowSeconds) return
  const [distance, window] = [durationText(Math.abs(skew)), durationText(windowSeconds)]
  const detail = `there are no samples: the clock of the system is ${distance} ${skew < 0 ? 'behind' : 'ahead'}, which is more than history.window (${window})`
  const remedy = 'correct time synchronisation (NTP) of the system or of this machine'
  throw new ApiError('unavailable', detail, { remedy })
}
