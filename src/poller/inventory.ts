import type { SystemClient } from '../api/client.ts'
import { ApiError, isOfSystem } from '../api/errors/errors.ts'
import { createRejectedValues } from '../api/feed/rejected_values.ts'
import { decodeProviders, LIST_REQUEST } from '../api/providers/providers.ts'
import { newlyRejected, withRejected } from '../state/rejections.ts'
import { failureOf, type InventoryState } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import type { PollLog } from './log/poll_log.ts'

interface InventoryOptions {
  readonly system: string
  /** Whether the first list is due before `makeDue` is called. */
  readonly isDue: boolean
  /** With the exporter's own session: a monitoring account may list, and never deletes. */
  readonly client: Pick<SystemClient, 'read'>
  readonly store: Pick<StateStore, 'update'>
  readonly pollLog: Pick<PollLog, 'providers' | 'rejected'>
}

/** Lists the authentication providers of one system for the metrics. */
export type Inventory = ReturnType<typeof createInventory>

/** Lists in a row that may be missed while the last one is kept. */
const MISSES_ALLOWED = 1

export function createInventory({ system, isDue, client, store, pollLog }: InventoryOptions) {
  let due = isDue
  /** Since the last list: requests that failed, and those that were not sent before the next one was due. */
  let misses = 0

  function show(next: (before: InventoryState | undefined) => InventoryState): Promise<void> {
    return store.update(system, (state) => ({ ...state, inventory: next(state.inventory) }))
  }

  async function request(signal: AbortSignal): Promise<void> {
    try {
      const values = createRejectedValues()
      const providers = await client.read(LIST_REQUEST, (text) => decodeProviders(text, values), signal)
      const rejected = values.list()
      misses = 0
      pollLog.providers(undefined)
      pollLog.rejected(undefined, rejected)
      await store.update(system, (state) => ({
        ...state,
        inventory: { providers, failure: undefined, rejected },
        rejections: withRejected(state.rejections, newlyRejected(rejected, state.inventory?.rejected)),
      }))
    } catch (cause) {
      if (signal.aborted) return
      if (!(cause instanceof ApiError)) throw cause
      misses += 1
      pollLog.providers(cause)
      // After a refusal, such as a missing role, the last list may be wrong.
      const isKept = misses <= MISSES_ALLOWED && isOfSystem(cause)
      const failure = failureOf(cause, Date.now() / 1000)
      await show((before) => ({ ...before, providers: isKept ? before?.providers : undefined, failure }))
    }
  }

  return {
    /** Called by the schedule. While polls fail nothing is requested, and the last list becomes too old. */
    async makeDue(): Promise<void> {
      const isMissed = due
      due = true
      if (!isMissed) return
      misses += 1
      if (misses > MISSES_ALLOWED)
        await show((before) => ({ ...before, providers: undefined, failure: before?.failure }))
    },
    async requestIfDue(signal: AbortSignal): Promise<void> {
      if (!due) return
      due = false
      await request(signal)
    },
  }
}
