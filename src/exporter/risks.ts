import type { SystemConfig } from '../config/config.ts'

/** What to do about a secret that every user of the machine may read. */
export const CLOSE_FILE = 'take the right away (chmod o-r, in Kubernetes defaultMode: 0440)'

const ON_THIS_MACHINE = /^(localhost|127\.[\d.]+|\[::1\])$/

/** The base URLs over which a token travels in the clear: without TLS, and not to this machine itself. */
export function exposedUrls({ baseUrls }: Pick<SystemConfig, 'baseUrls'>): string[] {
  return baseUrls.filter((baseUrl) => {
    const { protocol, hostname } = new URL(baseUrl)
    return protocol === 'http:' && !ON_THIS_MACHINE.test(hostname)
  })
}

/** The files of a system that hold a secret. */
export function secretFiles({ auth, tls }: Pick<SystemConfig, 'auth' | 'tls'>): string[] {
  return ['file' in auth ? auth.file : undefined, tls.keyFile].filter((file) => file !== undefined)
}
