import type { SystemClient } from '../api/client.ts'
import type { HistoryConfig, SystemConfig } from '../config/config.ts'
import { sameConfig } from '../config/same.ts'
import type { HistoryDocument } from '../history/recent/document.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import { withForecastsOf } from '../state/changes.ts'
import type { Failure } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import { RESOURCE_NAMES } from '../system_catalogue.ts'
import { createDiscovery } from './discovery.ts'
import { createHistoryPoller, type HistoryPoller, type HistoryPollerOptions } from './history_poller.ts'
import { createInventory } from './inventory.ts'
import { createPollLog, type PollLog } from './log/poll_log.ts'
import { createPoolPoller } from './pool_poller.ts'
import { createProbe } from './probe.ts'
import { createQueryPoller, type QueryPoller, removePerformance } from './query/query_poller.ts'
import { createResourcePoller, type ResourcePoller } from './resource_poller.ts'
import { createRounds, type Rounds, type RoundsOptions } from './round.ts'
import { createSchedule } from './schedule.ts'

export interface SystemPollerOptions {
  readonly system: SystemConfig
  readonly client: SystemClient
  readonly store: StateStore
  readonly own: OwnMetrics
  readonly log: Log
  /** Clock of the history, in milliseconds since the epoch. Default: that of the process. */
  readonly now?: () => number
}

/** Polls one system until it is stopped. */
export type SystemPoller = ReturnType<typeof createSystemPoller>

export function createSystemPoller(options: SystemPollerOptions) {
  const { system, client, store, own, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const pollLog = createPollLog({ log, own, store, system: system.name })
  const isDue = system.providers.schedule !== ''
  const inventory = createInventory({ system: system.name, isDue, client, store, pollLog })
  const queries = createQueryPoller({ ...options, pollLog })
  const createPoller = (poolId: string) => createPoolPoller({ ...options, poolId, pollLog })
  const tasks = createTasks(signal, pollLog)
  const resources = createResourcePoller({ ...options, pollLog, signal })
  const lists = { pools: resources.listPools }
  const discovery = createDiscovery({ ...options, client: lists, pollLog, signal, createPoller })
  const readResources = () => void tasks.start('reading resources', resources.readDue)
  const requested = { inventory, queries, readResources }
  const rounds = createRounds({ system: system.name, discovery, ...requested, store, signal })
  const parts = { system, rounds, discovery, ...requested, resources, signal, tasks }
  const { next, all: schedules } = createSchedules(parts)
  const history = createHistories({ ...options, pollLog, works: rounds.works, tasks, signal })
  const started = Promise.withResolvers<void>()
  const probe = createProbe({
    system,
    store,
    startRound: (round) => tasks.start('a probe', () => started.promise.then(() => rounds.run(round))),
  })

  return {
    probe,
    /** Reads the history as configured from now on; what was read stays if nothing changed. */
    useHistory: history.use,
    /** The last samples; undefined while the history is disabled. */
    history: history.document,
    /** Why the history of pools could not be read, by id. */
    historyFailures: history.failures,
    /** Begins with a first round at once, if there is a schedule; returns without waiting for it. */
    start(): void {
      own.addSystem(system.name, { isQueried: system.performance.source !== 'feed' })
      tasks.start('the first poll', async () => {
        // The pools are taken over before the first wait: a scheduled round that came earlier would list them instead.
        await Promise.all([
          discovery.takeOver(),
          removeDisabled(options),
          resources.removeDisabled(),
        ]).finally(started.resolve)
        if (system.poll.schedule !== '') await rounds.run()
      })
      for (const schedule of schedules) schedule.start()
    },
    next,
    /** Ends running polls; resolves when they have ended. The client stays open. */
    async stop(): Promise<void> {
      stopping.abort()
      started.resolve()
      for (const schedule of schedules) schedule.stop()
      history.stop()
      for (const poller of discovery.pollers()) poller.forget()
      queries.end()
      resources.end()
      await tasks.ended()
    },
  }
}

/** Values of what a reload turned off would otherwise stay as they were. */
async function removeDisabled({ system, store }: SystemPollerOptions): Promise<void> {
  const { schedule, timeFrames } = system.forecast
  await store.update(system.name, (state) => withForecastsOf(state, schedule === '' ? [] : timeFrames))
  if (system.performance.source === 'feed') await removePerformance(store, system.name)
  if (system.providers.schedule === '')
    await store.update(system.name, (state) => ({ ...state, inventory: undefined }))
}

type Tasks = ReturnType<typeof createTasks>

/** The tasks that run, so that a stop can wait for them. A task that is aborted by the stop has not failed. */
function createTasks(signal: AbortSignal, pollLog: PollLog) {
  const running = new Set<Promise<unknown>>()
  return {
    /** Resolves when the task has ended, also if it failed; at once after a stop. */
    async start(what: string, task: () => Promise<unknown>): Promise<void> {
      if (signal.aborted) return
      const promise = task().catch((failure: unknown) => {
        if (!signal.aborted) pollLog.internalError(what, failure)
      })
      running.add(promise)
      await promise
      running.delete(promise)
    },
    /** Resolves when all tasks have ended. */
    async ended(): Promise<void> {
      await Promise.allSettled(running)
    },
  }
}

type HistoriesOptions = SystemPollerOptions & Pick<HistoryPollerOptions, 'pollLog' | 'works' | 'signal'>

/** The reading of the history, which a reload may replace without a new session. */
function createHistories(options: HistoriesOptions & { readonly tasks: Tasks }) {
  const { tasks, now = Date.now } = options
  let used: HistoryConfig | undefined
  let poller: HistoryPoller | undefined
  return {
    use(history: HistoryConfig): void {
      if (sameConfig(used, history)) return
      used = history
      poller?.stop()
      poller = undefined
      if (!history.enabled) return
      poller = createHistoryPoller({
        ...options,
        history,
        start: (reading) => tasks.start('reading the history', reading),
        now,
      })
      poller.start()
    },
    document: (): HistoryDocument | undefined => poller?.document(),
    failures: (): ReadonlyMap<string, Failure> => poller?.failures() ?? new Map(),
    stop: () => poller?.stop(),
  }
}

interface ScheduleParts extends Omit<RoundsOptions, 'system' | 'store'> {
  readonly system: SystemConfig
  readonly rounds: Rounds
  readonly queries: QueryPoller
  readonly resources: ResourcePoller
  readonly tasks: Tasks
}

function createSchedules(parts: ScheduleParts) {
  const { system, rounds, discovery, inventory, queries, resources, readResources, signal, tasks } = parts
  const { maxRandomDelayMs } = system.poll
  const optional = (what: string, expression: string, task: () => Promise<unknown>) =>
    expression === ''
      ? []
      : [createSchedule({ expression, maxRandomDelayMs, run: () => tasks.start(what, task) })]
  const isPolled = system.poll.schedule !== ''
  /** While no poll is answered, what is due is requested with the next round that is; without a schedule, with the next probe. */
  const ifWorking = async (task: () => Promise<unknown>) => (isPolled && rounds.works() ? task() : undefined)

  const polls = optional('polling', system.poll.schedule, () => rounds.run())
  const forecasts = optional('forecasts', system.forecast.schedule, () => {
    for (const poller of discovery.pollers()) poller.forecasts.makeDue()
    return ifWorking(rounds.requestForecasts)
  })
  const providers = optional('inventory', system.providers.schedule, async () => {
    await inventory.makeDue()
    return ifWorking(() => inventory.requestIfDue(signal))
  })
  const { source, schedule } = system.performance
  const performance = optional('queries', source === 'feed' ? '' : schedule, () => {
    queries.makeDue()
    return ifWorking(() => queries.requestIfDue(signal))
  })
  const discoverySchedule = system.pools === undefined ? system.discovery.schedule : ''
  const pools = optional('discovery', discoverySchedule, () => {
    discovery.makeDue()
    return ifWorking(discovery.discoverIfDue)
  })
  const others = RESOURCE_NAMES.filter((name) => name !== 'pools' || system.pools !== undefined)
  const ofResources = others.flatMap((name) =>
    optional('resources', system.resources.schedules[name], async () => {
      resources.makeDue(name)
      if (isPolled && rounds.works()) readResources()
    }),
  )
  return {
    /**
     * When the next round and the next queries are due, in milliseconds since the epoch; undefined without a schedule. While
     * no poll is answered, the time of the next queries is not known: they are sent after the first one that is.
     */
    next() {
      const nextPollMs = polls[0]?.next()
      // Without a schedule of their own they are due at every poll.
      const queriesDueMs = source !== 'feed' && schedule === '' ? nextPollMs : performance[0]?.next()
      const isKnown = isPolled && rounds.works() && queriesDueMs !== undefined
      return { nextPollMs, nextQueriesMs: isKnown ? queries.nextMs(queriesDueMs) : undefined }
    },
    all: [...polls, ...forecasts, ...providers, ...performance, ...pools, ...ofResources],
  }
}
