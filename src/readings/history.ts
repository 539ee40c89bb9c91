import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import type { FeedReading } from '../api/feed/feed.ts'
import type { Period } from '../api/history/series.ts'
import type { HistoryConfig, SystemConfig } from '../config/config.ts'
import { createCollection, type PoolSamples } from '../history/recent/collection.ts'
import { createHistoryDocument, type HistoryDocument } from '../history/recent/document.ts'
import { pointsPerRequest, readPool } from '../history/sources/feed_source.ts'
import type { Format } from '../metrics/lines.ts'
import { withRejectedValues } from '../state/changes.ts'
import { type Failure, failureOf, type PoolState } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import type { ReadingLog } from './log/reading_log.ts'

export interface HistoryPollerOptions {
  readonly system: Pick<SystemConfig, 'name' | 'poll' | 'limits'>
  readonly history: HistoryConfig
  readonly client: Pick<SystemClient, 'history'>
  readonly store: Pick<StateStore, 'system' | 'update'>
  readonly log: ReadingLog
  /** Whether polls succeed: the history of a system that does not respond is not requested. */
  readonly works: () => boolean
  /** Runs a reading, and reports its failure. */
  readonly start: (reading: () => Promise<void>) => Promise<void>
  /** Aborts when the system is no longer polled. */
  readonly signal: AbortSignal
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Reads the last samples of a system regularly, one request at a time, beside its polls. */
export type HistoryPoller = ReturnType<typeof createHistoryPoller>

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

export function createHistoryPoller(options: HistoryPollerOptions) {
  const { history, store, system, works, now } = options
  const samples = createSamples(options)
  const formats = new Set<Format>()
  let document = createHistoryDocument([], 0)
  let dueMs = Number.NEGATIVE_INFINITY
  let isRunning = false
  let isToBeRead = false
  let timer: NodeJS.Timeout | undefined

  async function read(): Promise<void> {
    await samples.read()
    const next = samples.current()
    for (const format of document.requestedFormats) formats.add(format)
    for (const format of formats) await next.packed(format)
    document = next
  }

  function canRead(): boolean {
    return !isRunning && store.system(system.name)?.tried === true && works()
  }

  function check(): void {
    const nowMs = now()
    // Further ahead than the next reading: the clock was set back.
    if (nowMs >= dueMs || dueMs - nowMs > 2 * history.intervalMs) {
      dueMs = nextAfter(nowMs, options)
      isToBeRead = true
      if (!canRead()) document = samples.current()
    }
    if (!isToBeRead || !canRead()) return
    isToBeRead = false
    isRunning = true
    void options.start(read).finally(() => {
      isRunning = false
    })
  }

  return {
    document: (): HistoryDocument => document,
    /** Of the pools whose last reading failed, by id. */
    failures: samples.failures,
    /** Reads for the first time when every pool was polled once. */
    start(): void {
      timer = setInterval(check, CHECK_MS)
    },
    stop: (): void => clearInterval(timer),
  }
}

function createSamples(options: HistoryPollerOptions) {
  const { history, store, system, now } = options
  let known: KnownPools = new Map()
  let failures: ReadonlyMap<string, Failure> = new Map()
  return {
    failures: () => failures,
    /** Reads the pools one after the other. Those that cannot be read keep their samples. */
    async read(): Promise<void> {
      const period = periodAt(now(), history)
      const failed = new Map<string, Failure>()
      for (const pool of store.system(system.name)?.pools.values() ?? []) {
        const { id } = pool.ref
        const others = [...known].filter(([other]) => other !== id)
        const bytes = others.reduce((sum, [, { samples }]) => sum + samples.bytes, 0)
        const samples = await readSamples(options, pool, period, bytes)
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
function nextAfter(nowMs: number, { history, system }: HistoryPollerOptions): number {
  const { intervalMs } = history
  const offsetMs = Math.min(OFFSET_MS, intervalMs / 2)
  const next = (Math.floor((nowMs - offsetMs) / intervalMs) + 1) * intervalMs + offsetMs
  return next + Math.random() * Math.min(system.poll.maxRandomDelayMs, intervalMs / 4)
}

/** Undefined if the pool was never polled, so that its label and size are not known. */
async function readSamples(
  { system, client, store, log, signal }: HistoryPollerOptions,
  { ref, label, reading }: PoolState,
  period: Period,
  otherBytes: number,
): Promise<PoolSamples | ApiError | undefined> {
  if (reading === undefined) return undefined
  const labels = { system: system.name, pool: label }
  /** Limit of a response, and of the samples in memory. */
  const maxBytes = system.limits.maxResponseBytes
  const collection = createCollection(labels, maxBytes - otherBytes, period.interval)
  const windows = readPool({
    client,
    poolId: ref.id,
    period,
    points: pointsPerRequest(seriesOf(reading), RESPONSE_SHARE * maxBytes),
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
        await store.update(system.name, (state) => withRejectedValues(state, window.rejected))
    }
    log.history(ref.id, undefined)
    return collection.samples()
  } catch (failure) {
    if (signal.aborted || !(failure instanceof ApiError)) throw failure
    log.history(ref.id, failure)
    return failure
  }
}

/** The series that the history has at most, if it has all attributes that are served now. */
function seriesOf({ nodes }: FeedReading): number {
  return nodes.reduce((sum, { values, errors }) => sum + values.size + (errors?.types.length ?? 0) + 1, 0)
}
