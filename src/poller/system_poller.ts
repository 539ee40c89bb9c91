import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { isSilence } from '../api/request/reachability.ts'
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
import { type PoolState, withoutForecasts } from './state.ts'

export interface SystemPollerOptions {
  readonly system: SystemConfig
  readonly config: Pick<Config, 'poll' | 'forecast' | 'discovery' | 'providers' | 'limits'>
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

  /** What a reload turned off would stand for ever as it was last. */
  async function dropWhatIsOff(): Promise<void> {
    const { forecast, providers } = config
    if (forecast.schedule === '') await board.update(system.name, withoutForecasts)
    if (providers.schedule === '')
      await board.update(system.name, (state) => ({ ...state, inventory: undefined }))
  }

  /** One round: all pools side by side, or one of them while the system seems to be down. */
  async function round(): Promise<void> {
    const allowed = backoff.allowed()
    if (allowed === 'none') return
    const unlisted = discovery.isKnown() ? undefined : await discovery.discover()
    const outcomes = unlisted === undefined ? await pollPools(allowed === 'one') : [unlisted]
    const settled = outcomes.filter((outcome) => outcome !== 'none')
    // A system without pools did answer.
    backoff.note(
      outcomes.length === 0 ? [undefined] : settled.map((each) => (each === 'ok' ? undefined : each)),
    )
    // All of them may still be busy with the round before.
    if (settled.length === 0 && outcomes.length > 0) return
    if (board.system(system.name)?.tried === false)
      await board.update(system.name, (state) => ({ ...state, tried: true }))
    if (backoff.allowed() === 'all') await Promise.all([askForForecasts(), inventory.askIfDue(signal)])
  }

  async function pollPools(carefully: boolean): Promise<Outcome[]> {
    const scout = carefully ? chooseScout() : undefined
    if (scout === undefined) return pollAll()
    const outcome = await scout.poll(signal)
    const isDown = outcome === 'none' || (outcome !== 'ok' && isSystemFailure(outcome))
    const others = pollers().filter((poller) => poller !== scout)
    return isDown ? [outcome] : [outcome, ...(await Promise.all(others.map((each) => each.poll(signal))))]
  }

  /**
   * The pool that was not asked for the longest time: one that is broken for good does not get the next turn, too. In
   * turns among those that ever answered, and among all.
   */
  function chooseScout(): PoolPoller | undefined {
    const ever = pollers().filter((poller) => stateOf(poller)?.lastSuccess !== undefined)
    const among = ever.length > 0 && backoff.failures() % 2 === 1 ? ever : pollers()
    return among.toSorted((a, b) => a.askedAt() - b.askedAt())[0]
  }

  function stateOf({ poolId }: PoolPoller): PoolState | undefined {
    return board.system(system.name)?.pools.get(poolId)
  }

  /**
   * Those that answered last time go first, the quickest at the head: when they fall silent all together, and one more
   * does, the others need not wait for their turn to say so. Pools that did not answer tell nothing of others.
   */
  async function pollAll(): Promise<Outcome[]> {
    const answered = pollers().filter((poller) => stateOf(poller)?.lastAttempt?.failure === undefined)
    const seconds = (poller: PoolPoller) => stateOf(poller)?.lastAttempt?.seconds ?? 0
    const quickest = answered.toSorted((a, b) => seconds(a) - seconds(b))
    const vanguard = quickest.slice(0, Math.max(config.limits.concurrency, VANGUARD_POOLS))
    const failing = pollers().filter((poller) => !answered.includes(poller))
    const others = [...quickest.slice(vanguard.length), ...failing]
    const [witness, ...rest] = others
    const polls = vanguard.map((poller) => poller.poll(signal))
    const isProven = vanguard.every((poller) => stateOf(poller)?.lastSuccess !== undefined)
    const tells = isProven && vanguard.length >= VANGUARD_POOLS && rest.length > 0
    if (witness === undefined || !tells || (await silenceOf(polls)) === undefined)
      return Promise.all([...polls, ...others.map((each) => each.poll(signal))])
    const last = witness.poll(signal)
    const silence = await silenceOf([last])
    const told = rest.map((each) => (silence === undefined ? each.poll(signal) : each.giveUp(silence)))
    return Promise.all([...polls, last, ...told])
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
        await dropWhatIsOff()
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

/** Fewer may be pools that are broken by themselves. */
const VANGUARD_POOLS = 4

/** The failure when nothing came of the system in any of these polls; undefined as soon as one ends otherwise. */
async function silenceOf(polls: readonly Promise<Outcome>[]): Promise<ApiError | undefined> {
  const silent = polls.map(async (poll) => {
    const outcome = await poll
    if (outcome instanceof ApiError && isSilence(outcome)) return outcome
    throw new Error('not silent')
  })
  return Promise.all(silent).then(
    (failures) => failures.at(-1),
    () => undefined,
  )
}
