import { type HistoryConfig, type SystemConfig, sameConfig } from '../config/config.ts'
import type { HistoryDocument } from '../history/recent.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import { withForecastsOf } from '../state/changes.ts'
import type { Failure } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import { RESOURCE_NAMES, RESOURCES, type ResourceRow } from '../system_catalogue.ts'
import { createSchedule } from '../values/schedule.ts'
import { createHistory, type History, type HistoryOptions } from './history.ts'
import { createPools, isAnswer, type PoolSources } from './pools.ts'
import { createProbe, type ProbeRound } from './probe.ts'
import { createQueries, removePerformance } from './queries.ts'
import { createReadingLog, type ReadingLog } from './reading_log.ts'
import { createResources, type ResourcesOptions } from './resources.ts'
import type { Outcome, Source } from './source.ts'

interface SystemPollerOptions extends Pick<ResourcesOptions, 'system' | 'client' | 'store' | 'maxSingle'> {
  readonly own: OwnMetrics
  readonly log: Log
  /** Clock of the history, in milliseconds since the epoch. Default: that of the process. */
  readonly now?: () => number
}

export type SystemPoller = ReturnType<typeof createSystemPoller>

export function createSystemPoller(options: SystemPollerOptions) {
  const { system, store, own } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const log = createReadingLog({ log: options.log, own, store, system: system.name })
  const tasks = createTasks(signal, log)
  const sources = createSources({ ...options, log, signal }, tasks)
  const { pools, queries } = sources
  const rounds = createRounds(system.name, store, sources)
  const { nextPollMs, all: schedules } = createSchedules(system, sources, rounds, tasks)
  const { now = Date.now } = options
  const history = createHistories({ ...options, log, works: rounds.works, signal, now }, tasks)

  const started = Promise.withResolvers<void>()

  return {
    probe: createProbe({
      system,
      store,
      startRound: (round) => tasks.start('a probe', () => started.promise.then(() => rounds.run(round))),
    }),
    /** Reads the history as configured from now on; what was read stays if nothing changed. */
    useHistory: history.use,
    /** The last samples; undefined while the history is disabled. */
    history: history.document,
    /** Why the history of pools could not be read, by id. */
    historyFailures: history.failures,
    /** Begins with a first round at once, if there is a schedule; returns without waiting for it. */
    start(): void {
      own.addSystem(system.name, { isQueried: system.performance.source !== 'feed' })
      takeOver(options, sources)
      started.resolve()
      if (system.poll.schedule !== '') tasks.start('the first poll', () => rounds.run())
      for (const schedule of schedules) schedule.start()
    },
    /** Reads everything once instead, also if no poll is answered; resolves when all of it has ended. */
    async readOnce(): Promise<void> {
      takeOver(options, sources)
      await tasks.start('the only poll', () => rounds.run(undefined, true))
      await tasks.ended()
    },
    nextPollMs,
    /** Ends running polls; resolves when they have ended. The client stays open. */
    async stop(): Promise<void> {
      stopping.abort()
      started.resolve()
      for (const schedule of schedules) schedule.stop()
      history.stop()
      for (const part of [pools, queries, sources.resources]) part.forget()
      await tasks.ended()
    },
  }
}

type Sources = ReturnType<typeof createSources>

function createSources(options: ResourcesOptions, tasks: Tasks) {
  const resources = createResources(options)
  const queries = createQueries(options)
  const pools = createPools({
    ...options,
    noteValues: (outcome) => void tasks.start('values of pools', () => resources.notePools(outcome)),
  })
  const readAll = (what: string, list: readonly Pick<Source, 'readIfDue'>[]) =>
    tasks.start(what, () => Promise.all(list.map((source) => source.readIfDue())))
  const readForecasts = (of: readonly PoolSources[] = pools.all()) =>
    readAll(
      'forecasts',
      of.flatMap(({ forecasts }) => forecasts),
    )
  const readResources = () => tasks.start('reading resources', resources.readDue)
  return {
    pools,
    queries,
    resources,
    readAll,
    readForecasts,
    readResources,
    /** Reads in the background what else is due. */
    readOthers(of: readonly PoolSources[]): void {
      void readForecasts(of)
      void readResources()
    },
    refreshPools: (): void => void readAll('the list of pools', [pools.list]),
  }
}

/** Polls all pools of one system, and reads what else is due. */
type Rounds = ReturnType<typeof createRounds>

function createRounds(name: string, store: StateStore, sources: Sources) {
  const { pools, queries, readOthers, refreshPools } = sources
  let failedRounds = 0

  /** Undefined: the pools are unknown. What is known is used while the list is read again. */
  async function poolsOf(poolId: string | undefined): Promise<readonly PoolSources[] | undefined> {
    const isListed = (poolId === undefined || find(poolId) !== undefined) && pools.isKnown()
    if (isListed) refreshPools()
    else if (pools.isKnown()) await pools.list.readIfDue()
    else await pools.list.read()
    if (!pools.isKnown()) return undefined
    const all = pools.all()
    if (poolId !== undefined) return all.filter((pool) => pool.poolId === poolId)
    // While the breaker is half-open, the first pool is the probe: one that always fails must not stay the first.
    const start = failedRounds % all.length
    return [...all.slice(start), ...all.slice(0, start)]
  }

  const find = (poolId: string) => pools.all().find((pool) => pool.poolId === poolId)

  async function pollAll(polled: readonly PoolSources[], probe?: ProbeRound): Promise<Outcome[]> {
    if (probe !== undefined) probe.poolIds = polled.map(({ poolId }) => poolId)
    return Promise.all(
      polled.map(async ({ poolId, nodes }) => {
        const outcome = nodes.isRunning() && probe === undefined ? 'none' : await nodes.read()
        probe?.outcomes.set(poolId, outcome)
        return outcome
      }),
    )
  }

  return {
    /** Whether the system answered the poll of a pool in the last round of all pools; true before the first. */
    works: (): boolean => failedRounds === 0,
    /**
     * One round. The client's circuit breaker decides whether requests are sent.
     * @param isOnly whether what else is due is read also if no poll is answered
     */
    async run(probe?: ProbeRound, isOnly = false): Promise<void> {
      const polled = await poolsOf(probe?.poolId)
      const outcomes = polled && (await pollAll(polled, probe))
      const isGood = isGoodRound(probe?.poolId, outcomes)
      if (isGood === undefined) return
      if (probe?.poolId === undefined) failedRounds = isGood ? 0 : failedRounds + 1
      if (store.system(name)?.tried === false) store.update(name, (state) => ({ ...state, tried: true }))
      if (!isGood && !isOnly) return
      readOthers(polled ?? [])
      await queries.readIfDue()
    },
  }
}

/** Undefined: nothing was polled. All pools may still be busy with the round before. */
function isGoodRound(poolId: string | undefined, outcomes?: readonly Outcome[]): boolean | undefined {
  if (outcomes === undefined) return false
  if (outcomes.length === 0) return poolId === undefined ? true : undefined
  return outcomes.every((outcome) => outcome === 'none') ? undefined : outcomes.some(isAnswer)
}

/** Takes over what is known from before a reload, without what that turned off. */
function takeOver({ system, store }: SystemPollerOptions, { pools, resources }: Sources): void {
  const { name, forecast, performance, limits } = system
  const timeFrames = forecast.schedule === '' ? [] : forecast.timeFrames
  store.update(name, (state) => ({
    ...withForecastsOf(state, timeFrames),
    maxBytes: limits.maxResponseBytes,
  }))
  if (performance.source === 'feed') removePerformance(store, name)
  pools.takeOver()
  resources.removeDisabled()
}

type Tasks = ReturnType<typeof createTasks>

/** The tasks that run, so that a stop can wait for them. A task that is aborted by the stop has not failed. */
function createTasks(signal: AbortSignal, log: ReadingLog) {
  const running = new Set<Promise<unknown>>()
  return {
    /** Resolves when the task has ended, also if it failed; at once after a stop. */
    async start(what: string, task: () => Promise<unknown>): Promise<void> {
      if (signal.aborted) return
      const promise = task().catch((failure: unknown) => {
        if (!signal.aborted) log.internalError(what, failure)
      })
      running.add(promise)
      await promise
      running.delete(promise)
    },
    /** Resolves when all tasks have ended, with those that they started. */
    async ended(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** The reading of the history, which a reload may replace without a new session. */
function createHistories(options: Omit<HistoryOptions, 'history' | 'start'>, tasks: Tasks) {
  let used: HistoryConfig | undefined
  let current: History | undefined
  return {
    use(history: HistoryConfig): void {
      if (sameConfig(used, history)) return
      used = history
      current?.stop()
      const start: HistoryOptions['start'] = (task) => tasks.start('reading the history', task)
      current = history.enabled ? createHistory({ ...options, history, start }) : undefined
      current?.start()
    },
    document: (): HistoryDocument | undefined => current?.document(),
    failures: (): ReadonlyMap<string, Failure> => current?.failures() ?? new Map(),
    stop: () => current?.stop(),
  }
}

function createSchedules(system: SystemConfig, sources: Sources, rounds: Rounds, tasks: Tasks) {
  const { pools, queries, resources, readAll } = sources
  const { poll, forecast, performance } = system
  const isPolled = poll.schedule !== ''
  const scheduled = (expression: string, run: () => void) =>
    expression === '' ? [] : [createSchedule({ expression, maxRandomDelayMs: poll.maxRandomDelayMs, run })]
  /** While no poll is answered, what is due is read with the next round that is; without a schedule, with the next probe. */
  const due = (expression: string, makeDue: () => void, read: () => unknown) =>
    scheduled(expression, () => {
      makeDue()
      if (isPolled && rounds.works()) read()
    })

  const polls = scheduled(poll.schedule, () => tasks.start('polling', () => rounds.run()))
  const ofQueries = performance.source === 'feed' ? '' : performance.schedule
  const makeForecastsDue = () => {
    for (const { forecasts } of pools.all()) for (const one of forecasts) one.makeDue()
  }
  const ofResources = RESOURCE_NAMES.flatMap((name) => {
    const { schedule } = system.resources[name]
    const row: ResourceRow = RESOURCES[name]
    return row.isOfPolls
      ? due(schedule, pools.list.makeDue, sources.refreshPools)
      : due(schedule, () => resources.makeDue(name), sources.readResources)
  })
  return {
    /** When the next round is due, in milliseconds since the epoch; undefined without a schedule. */
    nextPollMs: () => polls[0]?.next(),
    all: [
      ...polls,
      ...due(ofQueries, queries.makeDue, () => readAll('queries', [queries])),
      ...due(forecast.schedule, makeForecastsDue, () => sources.readForecasts()),
      ...ofResources,
    ],
  }
}
