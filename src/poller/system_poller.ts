import type { SystemClient } from '../api/client.ts'
import type { Config, SystemConfig } from '../config/config.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import { createBackoff, isSystemFailure } from './backoff.ts'
import type { Board } from './board.ts'
import { createDiscovery } from './discovery.ts'
import { createInventory } from './inventory.ts'
import { createJournal } from './journal.ts'
import { createPoolPoller, type Outcome, type PoolPoller } from './pool_poller.ts'
import { createSchedule } from './schedule.ts'
import type { SystemState } from './state.ts'

export interface SystemPollerOptions {
  readonly system: SystemConfig
  readonly config: Pick<Config, 'poll' | 'forecast' | 'discovery' | 'providers'>
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
  const { signal } = stopping
  const backoff = createBackoff()
  const journal = createJournal(log, own, system.name)
  const inventory = createInventory({
    system: system.name,
    isDue: config.providers.schedule !== '',
    client,
    board,
    log,
  })
  const createPoller = (poolId: string) => createPoolPoller({ ...options, poolId, journal })
  const discovery = createDiscovery({ system, client, board, journal, signal, createPoller })
  const { pollers } = discovery
  const running = new Set<Promise<unknown>>()

  /** One round: all pools side by side, or one of them while the system seems to be down. */
  async function round(): Promise<void> {
    const allowed = backoff.allowed()
    if (allowed === 'none') return
    const unlisted = discovery.isKnown() ? undefined : await discovery.discover()
    const outcomes = unlisted === undefined ? await pollPools(allowed === 'one') : [unlisted]
    const settled = outcomes.filter((outcome) => outcome !== 'none')
    backoff.note(settled.map((outcome) => (outcome === 'ok' ? undefined : outcome)))
    // All of them may still be busy with the round before.
    if (settled.length === 0 && outcomes.length > 0) return
    if (board.system(system.name)?.tried === false)
      await board.update(system.name, (state) => ({ ...state, tried: true }))
    if (backoff.allowed() === 'all') await Promise.all([askForForecasts(), inventory.askIfDue(signal)])
  }

  async function pollPools(carefully: boolean): Promise<Outcome[]> {
    const all = pollers()
    const poll = (some: readonly PoolPoller[]) => Promise.all(some.map((poller) => poller.poll(signal)))
    const scout = carefully ? chooseScout(all, board.system(system.name), backoff.failures()) : undefined
    if (scout === undefined) return poll(all)
    const outcome = await scout.poll(signal)
    const isDown = outcome === 'none' || (outcome !== 'ok' && isSystemFailure(outcome))
    return isDown ? [outcome] : [outcome, ...(await poll(all.filter((poller) => poller !== scout)))]
  }

  async function askForForecasts(): Promise<void> {
    await Promise.all(pollers().map(({ forecasts }) => forecasts.askIfDue(signal)))
  }

  async function forecastRound(): Promise<void> {
    for (const { forecasts } of pollers()) forecasts.makeDue()
    // Otherwise they come with the next round in which the system answers.
    if (backoff.allowed() === 'all') await askForForecasts()
  }

  async function discoveryRound(): Promise<void> {
    if (backoff.allowed() === 'all') await discovery.discover()
  }

  async function inventoryRound(): Promise<void> {
    inventory.makeDue()
    if (backoff.allowed() === 'all') await inventory.askIfDue(signal)
  }

  /** Keeps track of a task, so that a stop can wait for it; an abort is the end that was asked for. */
  function track(what: string, task: () => Promise<unknown>): void {
    if (signal.aborted) return
    const promise = task().catch((failure: unknown) => {
      if (!signal.aborted) journal.broke(what, failure)
    })
    running.add(promise)
    promise.finally(() => running.delete(promise))
  }

  const scheduled = (what: string, expression: string, task: () => Promise<unknown>) =>
    createSchedule({
      expression,
      maxRandomDelayMs: config.poll.maxRandomDelayMs,
      run: () => track(what, task),
    })
  const polls = scheduled('polling', config.poll.schedule, round)
  const { forecast, providers } = config
  const schedules = [
    polls,
    ...(forecast.schedule === '' ? [] : [scheduled('forecasts', forecast.schedule, forecastRound)]),
    ...(providers.schedule === '' ? [] : [scheduled('inventory', providers.schedule, inventoryRound)]),
    ...(system.pools === undefined
      ? [scheduled('discovery', config.discovery.schedule, discoveryRound)]
      : []),
  ]

  return {
    start() {
      track('the first poll', async () => {
        await discovery.takeOver()
        await round()
      })
      for (const schedule of schedules) schedule.start()
    },
    nextPoll: polls.next,
    async stop() {
      stopping.abort()
      for (const schedule of schedules) schedule.stop()
      for (const poller of pollers()) poller.forget()
      await Promise.allSettled(running)
    },
  }
}

/**
 * The pool that tries whether the system is back: the one that answered last, and another at every further try,
 * since it may be the one pool that is broken for good.
 */
function chooseScout(
  all: readonly PoolPoller[],
  state: SystemState | undefined,
  failures: number,
): PoolPoller | undefined {
  const lastSuccess = ({ poolId }: PoolPoller) => state?.pools.get(poolId)?.lastSuccess ?? 0
  const byPromise = all.toSorted((a, b) => lastSuccess(b) - lastSuccess(a))
  return byPromise[(failures - 1) % byPromise.length]
}
