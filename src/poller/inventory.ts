import type { SystemClient } from '../api/client.ts'
import { ApiError, isOfSystem } from '../api/errors/errors.ts'
import { LIST_REQUEST, providerSteps } from '../api/providers/providers.ts'
import { inSlices } from '../slices.ts'
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
  readonly pollLog: Pick<PollLog, 'providers'>
}

/** Lists the authentication providers of one system for the metrics. */
export type Inventory = ReturnType<typeof createInventory>

/** Failed requests in a row for which the last list is kept. */
const FAILURES_ALLOWED = 1

export function createInventory({ system, isDue, client, store, pollLog }: InventoryOptions) {
  let due = isDue
  let failures = 0

  function show(next: (before: InventoryState | undefined) => InventoryState): Promise<void> {
    return store.update(system, (state) => ({ ...state, inventory: next(state.inventory) }))
  }

  async function request(signal: AbortSignal): Promise<void> {
    try {
      const providers = await client.read(
        LIST_REQUEST,
        (text) => inSlices(providerSteps(text), signal),
        signal,
      )
      failures = 0
      pollLog.providers(undefined)
      await show(() => ({ providers, failure: undefined }))
    } catch (cause) {
      if (signal.aborted) return
      if (!(cause instanceof ApiError)) throw cause
      failures += 1
      pollLog.providers(cause)
      // After a refusal, such as a missing role, the last list may be wrong.
      const isKept = failures <= FAILURES_ALLOWED && isOfSystem(cause)
      const failure = failureOf(cause, Date.now() / 1000)
      await show((before) => ({ providers: isKept ? before?.providers : undefined, failure }))
    }
  }

  return {
    makeDue(): void {
      due = true
    },
    async requestIfDue(signal: AbortSignal): Promise<void> {
      if (!due) return
      due = false
      await request(signal)
    },
  }
}
