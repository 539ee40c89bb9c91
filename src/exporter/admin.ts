import type { Permits } from '../api/http/permits.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../log.ts'
import { createAdminApp } from '../server/admin/app.ts'
import { createAudit } from '../server/admin/audit.ts'
import { checkAuditFile } from '../server/admin/audit_file.ts'
import { createAdminSystems } from '../server/admin/systems.ts'
import { parseListenAddress } from '../server/listener/listen_address.ts'
import { createListener } from '../server/listener/listener.ts'
import { OPEN_PATHS } from '../server/metrics/metrics_app.ts'

export interface AdminOptions {
  readonly listenAddress: string
  readonly configFile?: string
  readonly allowedHosts: readonly string[]
  readonly auditFile?: string
}

/** The listener for provider administration. */
export interface Admin {
  /** Available after start(). */
  readonly url: string
  /** Replaces the systems that can be administered. */
  use(config: Config): Promise<void>
  /** @throws when the address cannot be bound or the audit file cannot be written */
  start(): Promise<void>
  stop(): Promise<void>
}

interface AdminContext {
  /** The answer of `/-/ready`. */
  readonly ready: () => boolean
  /** For decoding bodies of all systems. */
  readonly decoding: Permits
  readonly log: Log
}

/** Creates the listener for provider administration. */
export function createAdmin(options: AdminOptions, { ready, decoding, log }: AdminContext): Admin {
  const { listenAddress, configFile, allowedHosts, auditFile } = options
  const systems = createAdminSystems(decoding)
  const { host } = parseListenAddress(listenAddress)
  const app = createAdminApp({
    systems,
    audit: createAudit({ log, ...(auditFile !== undefined && { file: auditFile }) }),
    origin: { listenHost: host, allowedHosts },
    ready,
    log,
  })
  const listener = createListener({
    address: listenAddress,
    handler: app.callback(),
    openPaths: OPEN_PATHS,
    log,
    ...(configFile !== undefined && { webConfigFile: configFile }),
  })
  return {
    get url() {
      return listener.url
    },
    use: systems.use,
    async start() {
      if (auditFile !== undefined) await checkAuditFile(auditFile)
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
    async stop() {
      await listener.stop()
      await systems.close()
    },
  }
}

function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(localhost|127\.[\d.]+|::1)$/i.test(host)
}
