import { createTask, type ScheduledTask } from 'node-cron'
import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import type { PoolRef } from '../api/pools.ts'
import type { Config, SystemConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import { createBackoff } from './backoff.ts'
import type { Board } from './board.ts'
import { createJournal } from './journal.ts'
import { createPoolPoller, type PoolPoller } from './pool_poller.ts'
import { withPools } from './state.ts'

export interface SystemPollerOptions {
  readonly system: SystemConfig
  readonly config: Pick<Config, 'poll' | 'forecast' | 'discovery'>
  readonly client: SystemClient
  readonly board: Board
  readonly own: OwnMetrics
  readonly log: Log
}

/** Polls one system until it is stopped. */
export interface SystemPoller {
  /** Begins with a first round at once; returns without waiting for it. */
  start(): void
  /** When the next round is due, in milliseconds since the epoch. */
  nextPoll(): number | undefined
  /** Ends running polls; resolves when they have ended. The client stays open. */
  stop(): Promise<void>
}

export function createSystemPoller(options: SystemPollerOptions): SystemPoller {
  const { system, config, client, board, own, log } = options
  const stopping = new AbortController()
  const backoff = createBackoff()
  const journal = createJournal(log, own, system.name)
  const running = new Set<Promise<unknown>>()
  const pollers = new Map<string, PoolPoller>()
  let refs: readonly PoolRef[] | undefined

  function usePools(list: readonly PoolRef[]): Promise<void> {
    refs = list
    for (const [id, poller] of pollers) {
      if (list.some((ref) => ref.id === id)) continue
      poller.forget()
      pollers.delete(id)
    }
    for (const { id } of list) {
      if (!pollers.has(id)) pollers.set(id, createPoolPoller({ ...options, poolId: id, journal }))
    }
    return board.update(system.name, (state) => ({ ...withPools(state, list), discoveryFailure: undefined }))
  }

  /** Asks the system for its pools, where the configuration does not name them. */
  async function discover(): Promise<ApiError | undefined> {
    try {
      await usePools(await client.pools(stopping.signal))
      journal.discovered(undefined)
      return undefined
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      journal.discovered(failure)
      const { reason, message } = failure
      await board.update(system.name, (state) => ({ ...state, discoveryFailure: { reason, message } }))
      return failure
    }
  }

  /** One round: all pools side by side, or one of them while the system seems to be down. */
  async function round(): Promise<void> {
    const allowed = backoff.allowed()
    if (allowed === 'none') return
    const noPools = refs === undefined ? await discover() : undefined
    if (noPools !== undefined) {
      backoff.note([noPools])
    } else if (allowed === 'all') {
      await pollSome(0)
    } else if (await pollSome(0, 1)) {
      await pollSome(1)
    }
    if (board.system(system.name)?.tried === false)
      await board.update(system.name, (state) => ({ ...state, tried: true }))
  }

  /** @returns whether at least one pool answered with data */
  async function pollSome(from: number, to?: number): Promise<boolean> {
    const some = [...pollers.values()].slice(from, to)
    const outcomes = await Promise.all(some.map((poller) => poller.poll(stopping.signal)))
    const settled = outcomes.filter((outcome) => outcome !== 'none')
    if (settled.length > 0) backoff.note(settled.map((outcome) => (outcome === 'ok' ? undefined : outcome)))
    return settled.includes('ok')
  }

  async function forecastRound(): Promise<void> {
    if (backoff.allowed() !== 'all') return
    await Promise.all([...pollers.values()].map((poller) => poller.forecast(stopping.signal)))
  }

  /** Keeps track of a task, so that a stop can wait for it; an abort is the end that was asked for. */
  function track(task: () => Promise<unknown>): void {
    if (stopping.signal.aborted) return
    const promise = task().catch((failure: unknown) => {
      if (!stopping.signal.aborted)
        log.error('a poll broke off: please report this', { system: system.name, error: String(failure) })
    })
    running.add(promise)
    promise.finally(() => running.delete(promise))
  }

  const scheduled = (schedule: string, task: () => Promise<unknown>): ScheduledTask[] =>
    schedule === ''
      ? []
      : [
          createTask(schedule, () => track(task), {
            maxRandomDelay: config.poll.maxRandomDelayMs,
            suppressMissedWarning: true,
          }),
        ]
  const polls = scheduled(config.poll.schedule, round)
  const tasks = [
    ...polls,
    ...scheduled(config.forecast.schedule, forecastRound),
    ...(system.pools === undefined ? scheduled(config.discovery.schedule, discover) : []),
  ]

  return {
    start() {
      track(async () => {
        if (system.pools !== undefined) await usePools(system.pools.map((id) => ({ id, name: undefined })))
        await round()
      })
      for (const task of tasks) task.start()
    },
    nextPoll: () => polls[0]?.getNextRun()?.getTime(),
    async stop() {
      stopping.abort()
      for (const task of tasks) task.destroy()
      for (const poller of pollers.values()) poller.forget()
      await Promise.allSettled(running)
    },
  }
}
