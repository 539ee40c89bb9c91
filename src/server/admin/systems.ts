import { type AdminClient, createAdminClient } from '../../api/admin_client.ts'
import { createHttpLimits } from '../../api/http/transport.ts'
import { type Config, sameConfig } from '../../config/config.ts'
import type { Log } from '../../log.ts'

/** Clients of the configured systems for requests with the token of the caller. */
export type AdminSystems = ReturnType<typeof createAdminSystems>

interface Entry {
  readonly options: Parameters<typeof createAdminClient>[0]
  readonly client: AdminClient
}

export function createAdminSystems(log: Log, httpLimits = createHttpLimits()) {
  let entries: ReadonlyMap<string, Entry> = new Map()

  async function replace(next: ReadonlyMap<string, Entry>): Promise<void> {
    const ended = [...entries.values()].filter((entry) => ![...next.values()].includes(entry))
    entries = next
    await Promise.all(ended.map(({ client }) => client.close()))
  }

  return {
    /** Replaces the systems; unchanged ones keep their connections. */
    use({ systems }: Config): Promise<void> {
      const next = systems.map(({ name, baseUrls, tls, limits, poll }): [string, Entry] => {
        const options = { system: { name, baseUrls, tls }, limits, timeoutMs: poll.timeoutMs }
        const old = entries.get(name)
        return old !== undefined && sameConfig(old.options, options)
          ? [name, old]
          : [name, { options, client: createAdminClient({ ...options, httpLimits, log }) }]
      })
      return replace(new Map(next))
    },
    names: (): readonly string[] => [...entries.keys()],
    get: (name: string): AdminClient | undefined => entries.get(name)?.client,
    close: (): Promise<void> => replace(new Map()),
  }
}
