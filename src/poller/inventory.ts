import type { SystemClient } from '../api/client.ts'
import { ApiError } from '../api/errors/errors.ts'
import type { Reason } from '../api/errors/reasons.ts'
import { decodeProviders, PROVIDERS_ACCEPT, PROVIDERS_PATH } from '../api/providers/providers.ts'
import type { Log } from '../log.ts'
import type { Board } from './board.ts'
import type { InventoryState } from './state.ts'

interface InventoryOptions {
  readonly system: string
  /** Whether the list is wanted at all before `makeDue` is called: the first one waits for no schedule. */
  readonly isDue: boolean
  /** With the exporter's own session: a monitoring account may list, and never deletes. */
  readonly client: Pick<SystemClient, 'read'>
  readonly board: Pick<Board, 'update'>
  readonly log: Log
}

/** Lists the authentication providers of one system for the metrics. */
export interface Inventory {
  makeDue(): void
  askIfDue(signal: AbortSignal): Promise<void>
}

/** A list that cannot be had once may be bad luck; after the second time the old one is too old to show. */
const FAILURES_ALLOWED = 1
/** Nobody knows better the next time: without the role there is no list, and zero providers would be a lie. */
const FINAL: readonly Reason[] = ['forbidden', 'auth', 'not_found']

const REQUEST = {
  operation: 'providers',
  path: PROVIDERS_PATH,
  headers: { Accept: PROVIDERS_ACCEPT },
} as const

export function createInventory({ system, isDue, client, board, log }: InventoryOptions): Inventory {
  let due = isDue
  let failures = 0
  let told: Reason | undefined

  function tell(failure: ApiError | undefined): void {
    if (failure?.reason === told) return
    told = failure?.reason
    if (failure === undefined) log.info('list of authentication providers works again', { system })
    else
      log.warn('list of authentication providers failed', {
        system,
        reason: failure.reason,
        error: failure.message,
      })
  }

  function show(next: (before: InventoryState | undefined) => InventoryState): Promise<void> {
    return board.update(system, (state) => ({ ...state, inventory: next(state.inventory) }))
  }

  async function ask(signal: AbortSignal): Promise<void> {
    try {
      const providers = located(await client.read(REQUEST, signal), system)
      failures = 0
      tell(undefined)
      await show(() => ({ providers, failure: undefined }))
    } catch (cause) {
      if (signal.aborted) return
      if (!(cause instanceof ApiError)) throw cause
      failures += 1
      tell(cause)
      const isKept = failures <= FAILURES_ALLOWED && !FINAL.includes(cause.reason)
      const failure = { reason: cause.reason, message: cause.message }
      await show((before) => ({ providers: isKept ? before?.providers : undefined, failure }))
    }
  }

  return {
    makeDue() {
      due = true
    },
    async askIfDue(signal) {
      if (!due) return
      due = false
      await ask(signal)
    },
  }
}

function located(text: string, system: string) {
  try {
    return decodeProviders(text)
  } catch (failure) {
    throw failure instanceof ApiError ? failure.at({ system, ...REQUEST }) : failure
  }
}
