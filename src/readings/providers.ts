import type { SystemClient } from '../api/client.ts'
import { createRejectedValues } from '../api/feed/rejected_values.ts'
import { decodeProviders, LIST_REQUEST } from '../api/providers/providers.ts'
import type { SystemConfig } from '../config/config.ts'
import { newlyRejected, withRejected } from '../state/rejections.ts'
import { failureOf, type InventoryState } from '../state/state.ts'
import type { StateStore } from '../state/store.ts'
import { keepForMs } from './ages.ts'
import type { ReadingLog } from './log/reading_log.ts'
import { createSource, type Source } from './source.ts'

interface ProvidersOptions {
  readonly system: SystemConfig
  /** With the exporter's own session: a monitoring account may list, and never deletes. */
  readonly client: Pick<SystemClient, 'read'>
  readonly store: StateStore
  readonly log: ReadingLog
  readonly signal: AbortSignal
}

/** The list of the authentication providers of a system. */
export function createProvidersSource({ system, client, store, log, signal }: ProvidersOptions): Source {
  const { schedule } = system.providers
  const show = (next: (before: InventoryState | undefined) => InventoryState) =>
    store.update(system.name, (state) => ({ ...state, inventory: next(state.inventory) }))
  return createSource(
    {
      name: 'the list of authentication providers',
      read: (ofSource) =>
        client.read(
          LIST_REQUEST,
          (text) => {
            const values = createRejectedValues()
            const providers = decodeProviders(text, values)
            return { providers, rejected: values.list() }
          },
          ofSource,
        ),
      keep(list) {
        store.update(system.name, (state) => ({
          ...state,
          inventory: { ...list, failure: undefined, lastSuccess: Date.now() / 1000 },
          rejections: withRejected(state.rejections, newlyRejected(list.rejected, state.inventory?.rejected)),
        }))
        log.providers(undefined)
        log.rejected(undefined, list.rejected)
      },
      fail(cause) {
        log.providers(cause)
        const failure = failureOf(cause, Date.now() / 1000)
        show((before) => ({ providers: undefined, ...before, failure }))
      },
      drop: () => show((before) => ({ failure: undefined, ...before, providers: undefined })),
      keepForMs: keepForMs(system, schedule),
    },
    {
      signal,
      internalError: log.internalError,
      isOnlyProbed: system.poll.schedule === '',
      lastSuccess: store.system(system.name)?.inventory?.lastSuccess,
      isDue: schedule !== '',
    },
  )
}
