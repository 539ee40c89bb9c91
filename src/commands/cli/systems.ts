import { type ClientObserver, createClient, type SystemClient } from '../../api/client.ts'
import type { ResourceReaderOptions } from '../../api/resources/requests.ts'
import type { SystemConfig } from '../../config/config.ts'
import { readVersion } from '../../exporter/version.ts'
import { silentLog } from '../../log.ts'
import { createOwnMetrics } from '../../metrics/own.ts'
import { createSystemPoller } from '../../readings/system_poller.ts'
import { newSystem, type SystemState } from '../../state/state.ts'
import { createStateStore } from '../../state/store.ts'
import { CommandError, EXIT } from './exit.ts'

/** The system with the name, or the only system. @throws {CommandError} usage error, with the configured names */
export function chooseSystem(systems: readonly SystemConfig[], name: string | undefined): SystemConfig {
  const names = systems.map((system) => system.name).join(', ')
  const [only, second] = systems
  if (name === undefined && second !== undefined) {
    throw new CommandError(`several systems are configured: choose one with --system (${names})`, EXIT.usage)
  }
  const chosen = name === undefined ? only : systems.find((system) => system.name === name)
  if (chosen !== undefined) return chosen
  throw new CommandError(`unknown system ${name}; configured systems: ${names}`, EXIT.usage)
}

const ignore = (): void => undefined

/** A client for one run of a command. Failures are reported by the command, not logged. */
export function createCommandClient(
  system: SystemConfig,
  observer: Partial<ClientObserver> = {},
): SystemClient {
  const ignored = { exchanged: ignore, loggedIn: ignore, clockSkew: ignore, certificate: ignore }
  return createClient({ system, observer: { ...ignored, ...observer }, log: silentLog })
}

/** Objects that take a request each, of which a system may have thousands, where a command reads only a few. */
export const MAX_SINGLE = 3

/** With the Flux API, unless the configuration turns it off, also where the exporter does not need it. */
export function withQueries(system: SystemConfig): SystemConfig {
  const { performance } = system
  return performance.source === 'feed'
    ? system
    : { ...system, performance: { ...performance, source: 'query' } }
}

/** Reads a system once, as the exporter does. The client stays open. @throws the reason of the signal after its abort */
export async function pollOnce(
  system: SystemConfig,
  client: SystemClient,
  signal: AbortSignal,
  more: Pick<ResourceReaderOptions, 'maxSingle'> = {},
): Promise<SystemState> {
  const { name } = system
  const store = createStateStore()
  await store.show([{ name }])
  const own = createOwnMetrics({ version: readVersion(), nodeVersion: process.versions.node })
  const poller = createSystemPoller({ system, client, store, own, log: silentLog, ...more })
  const stop = () => void poller.stop()
  signal.addEventListener('abort', stop)
  await poller.readOnce()
  signal.removeEventListener('abort', stop)
  await poller.stop()
  signal.throwIfAborted()
  return store.system(name) ?? newSystem(name)
}
