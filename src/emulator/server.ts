import type { Middleware } from 'koa'
import { createFaults, faultMiddleware, type NamedPool } from './faults/middleware.ts'
import { type Fault, parseFault } from './faults/parse.ts'
import { createApp, type Service } from './http/app.ts'
import { createListener } from './listener.ts'
import type { resolveOptions } from './options.ts'
import type { ExpiredToken } from './protocol/profiles.ts'

interface ServerOptions extends Service {
  readonly settings: ReturnType<typeof resolveOptions>
  readonly pools: readonly NamedPool[]
  readonly expiredToken: ExpiredToken
  /** Runs for requests that no fault answers. */
  readonly middleware?: Middleware
}

/** A listener that answers as a storage system, with faults. @throws RangeError for an invalid fault */
export function createSystemServer(options: ServerOptions) {
  const { settings, pools, sessions, expiredToken, middleware } = options
  const { clock } = settings
  const faults = createFaults(pools, () => Math.floor(clock() / 1_000), sessions.limitUses)
  const setFaults = (list: readonly (string | Fault)[]): void =>
    faults.set(list.map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)))
  setFaults(settings.faults)
  const listener = createListener(settings.listenAddress, settings.tls)
  const app = createApp(options, expiredToken, [
    ...(settings.middleware === undefined ? [] : [settings.middleware]),
    faultMiddleware(faults, clock, listener.stopping),
    ...(middleware === undefined ? [] : [middleware]),
  ])
  return {
    /** Base URL, such as `http://127.0.0.1:4443`; empty while it is not listening. */
    get url(): string {
      return listener.url()
    },
    /** Number of valid tokens of a user that were created by logins. */
    liveSessions: sessions.live,
    /** Replaces the active faults. Text in the format of the command line. @throws RangeError for invalid text */
    setFaults,
    start: (): Promise<void> => listener.open(app.callback()),
    /** Also destroys the connections that are open. */
    stop: listener.close,
  }
}
