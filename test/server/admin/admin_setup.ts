import { createAudit } from '../../../src/administration/audit.ts'
import type { Config } from '../../../src/config/config.ts'
import { parseConfig } from '../../../src/config/load.ts'
import type { EmulatorOptions } from '../../../src/emulator/options.ts'
import { type Log, silentLog } from '../../../src/log.ts'
import { createAdminApp } from '../../../src/server/admin/app.ts'
import type { RateLimits } from '../../../src/server/admin/rate_limits.ts'
import { createAdminSystems } from '../../../src/server/admin/systems.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { type HttpOptions, type HttpResponse, request } from '../../support/http.ts'
import { createEmulator, type Emulator } from '../../support/programs/emulator.ts'
import type { RecordedLog } from '../listener/listener_setup.ts'

export const MONITOR = 'emulator-monitor'
export const ADMIN = 'emulator-admin'
export const SECURITY = 'emulator-security'
export const LIST = '/vdc/admin/authnproviders'

/** No rate limit, because tests send more requests than a caller may. */
export const UNLIMITED: RateLimits = {
  admit: () => undefined,
  withToken: (_address, _system, task) => task(),
  withLogin: (_system, task) => task(),
}

export interface AdminOptions {
  /** Name and base URL of each system. */
  readonly systems: Readonly<Record<string, string | readonly string[]>>
  readonly log?: Log
  readonly allowedHosts?: readonly string[]
  readonly rateLimits?: RateLimits
  readonly statusUrl?: string
  readonly timeout?: string
}

export interface Admin extends AsyncDisposable {
  readonly url: string
  ask(method: string, path: string, token?: string, asking?: HttpOptions): Promise<HttpResponse>
}

function configOf({ systems, timeout = '10s' }: Pick<AdminOptions, 'systems' | 'timeout'>): Config {
  const list = Object.entries(systems).map(([name, url]) => ({
    name,
    base_url: url,
    auth: { token: 'the-exporters-own-token' },
  }))
  const text = JSON.stringify({ systems: list, poll: { timeout }, limits: { requests_per_second: 1000 } })
  return parseConfig(text, { file: 'test', environment: {} })
}

/** The fields of the audit lines of deletions. */
export function auditLines({ lines }: RecordedLog): Readonly<Record<string, unknown>>[] {
  const audits = lines.filter((line) => line.startsWith('warn audit: deletion of '))
  return audits.map((line) => JSON.parse(line.slice(line.indexOf('{'))))
}

/** Starts the provider administration on a free port. */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const log = options.log ?? silentLog
  const systems = createAdminSystems(log)
  await systems.use(configOf(options))
  const app = createAdminApp({
    systems,
    audit: createAudit(log),
    log,
    origin: { listenHosts: ['127.0.0.1'], allowedHosts: options.allowedHosts ?? [] },
    ready: () => true,
    statusUrl: () => options.statusUrl,
    rateLimits: options.rateLimits ?? UNLIMITED,
  })
  const listener = createListener({ address: '127.0.0.1:0', handler: app, log })
  await listener.start()
  return {
    url: listener.url,
    ask: (method, path, token, asking = {}) => {
      const headers = { ...(token !== undefined && { 'X-SDS-AUTH-TOKEN': token }), ...asking.headers }
      return request(method, `${listener.url}${path}`, { ...asking, headers })
    },
    async [Symbol.asyncDispose]() {
      await listener.stop()
      await systems.close()
    },
  }
}

export interface StartedEmulator extends Emulator, AsyncDisposable {}

/** A system on which only one role may delete providers, as on real systems. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<StartedEmulator> {
  const defaults = { listenAddress: '127.0.0.1:0', pools: 1, nodes: 1, profile: 'classic' } as const
  const emulator = createEmulator({ ...defaults, ...options })
  await emulator.start()
  // The members of the emulator are getters, so a copy would not be updated.
  return Object.assign(Object.create(emulator) as Emulator, { [Symbol.asyncDispose]: () => emulator.stop() })
}

/** The ids of the providers of an emulator. */
export async function providerIds(emulator: Emulator): Promise<string[]> {
  const answer = await request('GET', `${emulator.url}${LIST}.json`, {
    headers: { 'X-SDS-AUTH-TOKEN': ADMIN },
  })
  const { authnprovider } = JSON.parse(answer.text) as { authnprovider: { id: string }[] }
  return authnprovider.map(({ id }) => id)
}
