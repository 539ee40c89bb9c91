import type { Config, SystemConfig } from '../config/config.ts'
import { isReadableByOthers } from '../config/values/files.ts'
import type { Log } from '../log.ts'

/** How to fix a secret file that every local user can read. */
export const RESTRICT_FILE = 'remove the permission (chmod o-r, in Kubernetes defaultMode: 0440)'

const LOOPBACK_HOST = /^(localhost|127\.[\d.]+|\[::1\])$/

/** The base URLs over which the token is sent unencrypted: http, except to a loopback address. */
export function unencryptedUrls({ baseUrls }: Pick<SystemConfig, 'baseUrls'>): string[] {
  return baseUrls.filter((baseUrl) => {
    const { protocol, hostname } = new URL(baseUrl)
    return protocol === 'http:' && !LOOPBACK_HOST.test(hostname)
  })
}

/** The files of a system that contain a secret. */
export function secretFiles({ auth, tls }: Pick<SystemConfig, 'auth' | 'tls'>): string[] {
  return ['file' in auth ? auth.file : undefined, tls.keyFile].filter((file) => file !== undefined)
}

/** Logs one warning for each insecure or unsupported setting. */
export function warnOfRisks(config: Config, log: Log): void {
  if (config.history.enabled) log.warn('history.enabled is set, but this version does not serve /history yet')
  for (const system of config.systems) warnOfSystemRisks(system, log)
}

function warnOfSystemRisks(system: SystemConfig, log: Log): void {
  if (system.tls.insecureSkipVerify) {
    log.warn('TLS certificate verification is disabled: the connection can be intercepted', {
      system: system.name,
    })
  }
  if (unencryptedUrls(system).length > 0) {
    log.warn('base_url uses http: the token is sent unencrypted', { system: system.name })
  }
  for (const file of secretFiles(system).filter(isReadableByOthers)) {
    log.warn(`secret file is readable by every local user: ${RESTRICT_FILE}`, { system: system.name, file })
  }
}
