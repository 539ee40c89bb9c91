import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import type { PoolRef } from '../api/feed/pools.ts'
import type { SystemConfig } from '../config/config.ts'
import { withPools } from '../state/changes.ts'
import { failureOf } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import type { PollLog } from './log/poll_log.ts'
import type { PoolPoller } from './pool_poller.ts'

interface DiscoveryOptions {
  readonly system: SystemConfig
  readonly client: Pick<SystemClient, 'pools'>
  readonly store: StateStore
  readonly pollLog: PollLog
  /** Aborts when the system is no longer polled. */
  readonly signal: AbortSignal
  readonly createPoller: (poolId: string) => PoolPoller
}

/** The pools of a system that are polled: those of the configuration, or those that the system lists. */
export type Discovery = ReturnType<typeof createDiscovery>

export function createDiscovery(options: DiscoveryOptions) {
  const { system, client, store, pollLog, signal, createPoller } = options
  let pollers: ReadonlyMap<string, PoolPoller> | undefined
  let isDue = false
  let discovering: Promise<void> | undefined

  function use(list: readonly PoolRef[]): Promise<void> {
    const before = pollers ?? new Map<string, PoolPoller>()
    pollLog.pools([...before.keys()], list)
    const next = new Map(list.map(({ id }) => [id, before.get(id) ?? createPoller(id)]))
    for (const [id, poller] of before) {
      if (next.has(id)) continue
      poller.forget()
      pollLog.forget(id)
    }
    pollers = next
    return store.update(system.name, (state) =>
      withPools({ ...state, discoveryFailure: undefined }, list, system.limits.maxResponseBytes),
    )
  }

  async function discoverIfDue(): Promise<void> {
    if (pollers !== undefined && !isDue) return
    isDue = false
    discovering ??= request().finally(() => {
      discovering = undefined
    })
    return discovering
  }

  async function request(): Promise<void> {
    try {
      const list = await client.pools(signal)
      // A pool that is added after the stop would be polled.
      signal.throwIfAborted()
      await use(list)
      pollLog.discovered(undefined)
    } catch (failure) {
      if (!(failure instanceof ApiError) || signal.aborted) throw failure
      pollLog.discovered(failure)
      const discoveryFailure = failureOf(failure, Date.now() / 1000)
      await store.update(system.name, (state) => ({ ...state, discoveryFailure }))
    }
  }

  return {
    pollers: (): readonly PoolPoller[] => [...(pollers?.values() ?? [])],
    /** Whether the pools were listed; the list may be empty. */
    isKnown: (): boolean => pollers !== undefined,
    /** Polls the pools of the configuration, or those from before a reload, without a request. */
    async takeOver(): Promise<void> {
      if (system.pools !== undefined) return use(system.pools.map((id) => ({ id, name: undefined })))
      const before = [...(store.system(system.name)?.pools.values() ?? [])].map(({ ref }) => ref)
      if (before.length > 0) await use(before)
      isDue = true
    },
    /** Called by the schedule. */
    makeDue(): void {
      isDue = true
    },
    /** Lists the pools if that is due or they are unknown, never twice at a time. A failure is shown on the store. */
    discoverIfDue,
  }
}
