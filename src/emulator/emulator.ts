import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import { createFaults } from './faults/active.ts'
import { faultMiddleware } from './faults/middleware.ts'
import { type Fault, parseFault } from './faults/table.ts'
import type { User } from './http/accounts.ts'
import { createApp, TOKEN_HEADER } from './http/app.ts'
import { createProviders } from './http/providers.ts'
import { createRequestLog, type RequestLog, type RequestRecorder } from './http/request_log.ts'
import { createSessions, type Sessions } from './http/sessions.ts'
import { type Listener, listen } from './listener.ts'
import { createModel } from './model/model.ts'
import { responseDelayMs, type Scenario } from './model/scenarios.ts'
import type { Timeline } from './model/timeline.ts'
import { type EmulatorOptions, parseListenAddress, resolveOptions, type TlsOptions } from './options.ts'
import { operationOf } from './protocol/operations.ts'
import { PROFILES } from './protocol/profiles.ts'
import { createCounters } from './query/points/counters.ts'

/** A storage system that runs in this process. */
export interface Emulator {
  readonly start: () => Promise<void>
  /** Also destroys the connections that are open. */
  readonly stop: () => Promise<void>
  /** Base URL, such as `http://127.0.0.1:4443`; empty while it is not listening. */
  readonly url: string
  /** The certificate created on start, in PEM; empty without `tls: true`. */
  readonly certificate: string
  readonly pools: readonly EmulatedPool[]
  readonly log: RequestLog
  /** Number of valid tokens of a user that were created by logins. */
  readonly liveSessions: (user: User) => number
  readonly scenario: () => Scenario
  /**
   * Switches to another scenario, from the start of the current five minutes or from `from` on (epoch seconds);
   * `-Infinity` also replaces the whole past.
   */
  readonly setScenario: (scenario: Scenario, from?: number) => void
  /** Replaces the active faults. Text in the format of the command line. @throws RangeError for invalid text */
  readonly setFaults: (faults: readonly (string | Fault)[]) => void
}

export interface EmulatedPool {
  readonly id: string
  readonly name: string
  /** Names of its nodes. */
  readonly nodes: readonly string[]
}

const MS_PER_SECOND = 1_000
/** Statistics cover five minutes: a switch takes effect from the start of the current interval. */
const STATISTICS_INTERVAL_SECONDS = 300

/** Creates a storage system; only `start` opens a port. @throws RangeError for invalid options */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = resolveOptions(options)
  const now = () => Math.floor(settings.clock() / MS_PER_SECOND)
  const model = createModel(settings, now())
  const sessions = createSessions(settings.clock, settings.sessions)
  const faults = createFaults({ pools: model.pools, now, limitTokenUses: sessions.limitUses })
  const setFaults: Emulator['setFaults'] = (list) =>
    faults.set(list.map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)))
  setFaults(settings.faults)
  const recorder = createRequestLog()
  const socket = createSocket(settings)
  const app = createApp({
    system: {
      ...settings,
      model,
      sessions,
      providers: createProviders(model.key),
      counters: createCounters(model),
    },
    expiredToken: settings.expiredToken ?? PROFILES[settings.profile].expiredToken,
    middleware: [
      recordRequests(recorder, settings.clock),
      faultMiddleware({ faults, clock: settings.clock, stopping: socket.stopping, operationOf: operationIn }),
      delayDashboard(model.timeline, socket.stopping),
    ],
  })
  return {
    get url() {
      return socket.url()
    },
    get certificate() {
      return socket.certificate()
    },
    pools: model.pools.map(({ id, name, nodes }) => ({ id, name, nodes: nodes.map((node) => node.name) })),
    ...controls(model.timeline, sessions, now),
    log: recorder.log,
    setFaults,
    start: () => socket.open(app.callback()),
    stop: socket.close,
  }
}

function controls(timeline: Timeline, sessions: Sessions, now: () => number) {
  return {
    liveSessions: sessions.live,
    scenario: timeline.current,
    setScenario: (scenario: Scenario, from = now() - (now() % STATISTICS_INTERVAL_SECONDS)) =>
      timeline.switchTo(scenario, now(), from),
  }
}

interface SocketSettings {
  readonly listenAddress: string
  readonly tls: boolean | TlsOptions
}

/** The listening socket, which can be opened and closed repeatedly. */
function createSocket({ listenAddress, tls }: SocketSettings) {
  let listener: Listener | undefined
  let certificate = ''
  let stopping = new AbortController()
  return {
    url: () => listener?.url ?? '',
    certificate: () => certificate,
    stopping: () => stopping.signal,
    open: async (onRequest: Parameters<typeof listen>[2]) => {
      stopping = new AbortController()
      const created = tls === true ? await createCertificate(listenAddress) : undefined
      certificate = created?.cert ?? ''
      listener = await listen(
        listenAddress,
        created ?? (tls === false || tls === true ? undefined : tls),
        onRequest,
      )
    },
    close: async () => {
      stopping.abort()
      await listener?.close()
      listener = undefined
    },
  }
}

const CERTIFICATE_PACKAGE = '@peculiar/x509'

/** Loads the certificate library on demand: loading it is slow, and it may be missing. */
async function createCertificate(listenAddress: string): Promise<TlsOptions> {
  const { selfSigned } = await import('./certificates.ts').catch((failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'ERR_MODULE_NOT_FOUND') throw failure
    throw new Error(`--tls needs the package ${CERTIFICATE_PACKAGE}, an optional dependency: install it`)
  })
  const { host } = parseListenAddress(listenAddress)
  return selfSigned({ names: [...new Set(['localhost', '127.0.0.1', '::1', host])] })
}

function operationIn({ method, path, querystring }: Context) {
  return operationOf(method, path, querystring)
}

function recordRequests({ begin, end }: RequestRecorder, clock: () => number): Middleware {
  return async (context, next) => {
    const request = {
      operation: operationIn(context),
      method: context.method,
      path: context.path,
      query: context.querystring,
      token: context.get(TOKEN_HEADER) || undefined,
      headers: context.headers,
      time: clock(),
      status: undefined as number | undefined,
    }
    begin(request)
    try {
      await next()
      request.status = context.status
    } finally {
      end(request)
    }
  }
}

/** Delays responses under /dashboard/ as the scenario says. */
function delayDashboard(timeline: Timeline, stopping: () => AbortSignal): Middleware {
  return async (context, next) => {
    const delayMs = context.path.startsWith('/dashboard/') ? responseDelayMs(timeline.current()) : 0
    if (delayMs > 0) await sleep(delayMs, undefined, { signal: stopping() })
    await next()
  }
}
