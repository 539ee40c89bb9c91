import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import { createFaults } from './faults/in_force.ts'
import { faultMiddleware } from './faults/middleware.ts'
import { type Fault, parseFault } from './faults/table.ts'
import type { User } from './http/accounts.ts'
import { createApp, TOKEN_HEADER } from './http/app.ts'
import { createProviders } from './http/providers.ts'
import { createRequestLog, type RequestLog, type RequestRecorder } from './http/request_log.ts'
import { createSessions, type Sessions } from './http/sessions.ts'
import { type Listener, listen } from './listener.ts'
import { type EmulatorOptions, parseListenAddress, resolveOptions, type TlsOptions } from './options.ts'
import { operationOf } from './protocol/operations.ts'
import { PROFILES } from './protocol/profiles.ts'
import { answerDelay, type Scenario, type Stage } from './world/scenarios.ts'
import { createWorld } from './world/world.ts'

/** A storage system that runs in this process. */
export interface Emulator {
  readonly start: () => Promise<void>
  /** Also destroys the connections that are open. */
  readonly stop: () => Promise<void>
  /** Where it listens, such as `http://127.0.0.1:4443`; empty while it does not. */
  readonly url: string
  /** What to trust, in PEM, when the certificate was made at the start; else empty. */
  readonly certificate: string
  readonly pools: readonly EmulatedPool[]
  readonly log: RequestLog
  /** Valid tokens of a user that a login made. */
  readonly liveSessions: (user: User) => number
  readonly scenario: () => Scenario
  /**
   * Plays another scenario from the current five minutes on, or from `from` on: epoch seconds, of which
   * `-Infinity` means the whole past too.
   */
  readonly setScenario: (scenario: Scenario, from?: number) => void
  /** Replaces the faults in force. Text as on the command line. @throws RangeError for what is no fault */
  readonly setFaults: (faults: readonly (string | Fault)[]) => void
}

export interface EmulatedPool {
  readonly id: string
  readonly name: string
  /** Names of its nodes. */
  readonly nodes: readonly string[]
}

const MILLISECONDS = 1_000
/** Statistics are made every five minutes: a switch counts for the whole of the current ones. */
const SWITCH_GRID_SECONDS = 300

/** Wires a storage system; only `start` opens a port. @throws RangeError for options that make no sense */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = resolveOptions(options)
  const now = () => Math.floor(settings.clock() / MILLISECONDS)
  const world = createWorld(settings, now())
  const sessions = createSessions(settings.clock, settings.sessions)
  const faults = createFaults({ pools: world.pools, now, limitTokenUses: sessions.limitUses })
  const setFaults: Emulator['setFaults'] = (list) =>
    faults.set(list.map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)))
  setFaults(settings.faults)
  const recorder = createRequestLog()
  const socket = createSocket(settings)
  const app = createApp({
    system: { ...settings, world, sessions, providers: createProviders(world.key) },
    expiredToken: settings.expiredToken ?? PROFILES[settings.profile].expiredToken,
    around: [
      recordRequests(recorder, settings.clock),
      faultMiddleware({ faults, clock: settings.clock, stopping: socket.stopping, operationOf: operationIn }),
      delayAnswers(world.stage, socket.stopping),
    ],
  })
  return {
    get url() {
      return socket.url()
    },
    get certificate() {
      return socket.certificate()
    },
    pools: world.pools.map(({ id, name, nodes }) => ({ id, name, nodes: nodes.map((node) => node.name) })),
    ...controls(world.stage, sessions, now),
    log: recorder.log,
    setFaults,
    start: () => socket.open(app.callback()),
    stop: socket.close,
  }
}

function controls(stage: Stage, sessions: Sessions, now: () => number) {
  return {
    liveSessions: sessions.live,
    scenario: stage.current,
    setScenario: (scenario: Scenario, from = now() - (now() % SWITCH_GRID_SECONDS)) =>
      stage.play(scenario, now(), from),
  }
}

interface SocketSettings {
  readonly listenAddress: string
  readonly tls: boolean | TlsOptions
}

/** The listening socket, between one start and the next stop. */
function createSocket({ listenAddress, tls }: SocketSettings) {
  let listener: Listener | undefined
  let made = ''
  let stopping = new AbortController()
  return {
    url: () => listener?.url ?? '',
    certificate: () => made,
    stopping: () => stopping.signal,
    open: async (onRequest: Parameters<typeof listen>[2]) => {
      stopping = new AbortController()
      const own = tls === true ? await makeCertificate(listenAddress) : undefined
      made = own?.cert ?? ''
      listener = await listen(
        listenAddress,
        own ?? (tls === false || tls === true ? undefined : tls),
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

/** The library for it is loaded only where it is needed: it takes its time. */
async function makeCertificate(listenAddress: string): Promise<TlsOptions> {
  const { selfSigned } = await import('./certificates.ts')
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

/** As slow as the scenario says, on the dashboard alone. */
function delayAnswers(stage: Stage, stopping: () => AbortSignal): Middleware {
  return async (context, next) => {
    const milliseconds = context.path.startsWith('/dashboard/') ? answerDelay(stage.current()) : 0
    if (milliseconds > 0) await sleep(milliseconds, undefined, { signal: stopping() })
    await next()
  }
}
