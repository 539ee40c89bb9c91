import { createAudit } from '../administration/audit.ts'
import type { HttpLimits } from '../api/http/transport.ts'
import type { Log } from '../log.ts'
import { createAdminApp } from '../server/admin/app.ts'
import { createAdminSystems } from '../server/admin/systems.ts'
import { createListener } from '../server/listener/listener.ts'
import { hostsOf, isLoopback } from '../values/listen_address.ts'

export interface AdminOptions {
  readonly listenAddress: string
  readonly configFile?: string | undefined
  readonly allowedHosts: readonly string[]
}

export type Admin = ReturnType<typeof createAdmin>

interface AdminContext {
  /** The response of `/-/ready`. */
  readonly ready: () => boolean
  readonly httpLimits: HttpLimits
  readonly statusUrl: () => string | undefined
  readonly log: Log
}

export function createAdmin(options: AdminOptions, context: AdminContext) {
  const { ready, httpLimits, statusUrl, log } = context
  const { listenAddress, configFile, allowedHosts } = options
  const systems = createAdminSystems(log, httpLimits)
  const [host] = hostsOf([listenAddress])
  const handler = createAdminApp({
    systems,
    audit: createAudit(log),
    origin: { listenHosts: hostsOf([listenAddress]), allowedHosts },
    ready,
    statusUrl,
    log,
  })
  const listener = createListener({
    address: listenAddress,
    flag: '--admin.listen-address',
    handler,
    log,
    webConfigFile: configFile,
  })
  return {
    /** Available after start(). */
    get url(): string {
      return listener.url
    },
    use: systems.use,
    /** @throws when the address cannot be bound */
    async start(): Promise<void> {
      await listener.start()
      log.info('listening for provider administration', { url: listener.url })
      if (!isLoopback(host) && !listener.url.startsWith('https:')) {
        log.warn(
          'administration is served without TLS to other machines: tokens and passwords are sent unencrypted. ' +
            'Set --admin.config.file, or listen on 127.0.0.1',
          { address: listenAddress },
        )
      }
    },
    async stop(): Promise<void> {
      await listener.stop()
      await systems.close()
    },
  }
}
