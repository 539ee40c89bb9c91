import { setTimeout as sleep } from 'node:timers/promises'
import type { Middleware } from 'koa'
import type { User } from './http/accounts.ts'
import { createApp, TOKEN_HEADER } from './http/app.ts'
import { operationOf } from './http/operations.ts'
import { createProviders } from './http/providers.ts'
import { createRequestLog, type RequestLog } from './http/request_log.ts'
import type { System } from './http/routes.ts'
import { createSessions } from './http/sessions.ts'
import { type Listener, listen } from './listener.ts'
import { type EmulatorOptions, resolveOptions } from './options.ts'
import { PROFILES } from './profiles.ts'
import { answerDelay, type Scenario } from './world/scenarios.ts'
import { createWorld } from './world/world.ts'

/** A storage system that runs in this process. */
export interface Emulator {
  readonly start: () => Promise<void>
  /** Also destroys the connections that are open. */
  readonly stop: () => Promise<void>
  /** Where it listens, such as `http://127.0.0.1:4443`; empty before the start. */
  readonly url: string
  readonly pools: readonly { readonly id: string; readonly name: string; readonly nodes: readonly string[] }[]
  readonly log: RequestLog
  /** Valid tokens of a user that a login made. */
  readonly liveSessions: (user: User) => number
  readonly scenario: () => Scenario
  /** Plays another scenario from the current five minutes on, or, with `from` in epoch seconds, from then on. */
  readonly setScenario: (scenario: Scenario, from?: number) => void
}

const MILLISECONDS = 1_000
/** Statistics are made every five minutes: a switch counts for the whole of the current ones. */
const SWITCH_GRID_SECONDS = 300

/** Wires a storage system; only `start` opens a port. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = resolveOptions(options)
  const now = () => Math.floor(settings.clock() / MILLISECONDS)
  const world = createWorld(settings, now())
  const sessions = createSessions(settings.clock, settings.sessions)
  const requestLog = createRequestLog()
  const system: System = {
    world,
    profile: settings.profile,
    sessions,
    providers: createProviders(world.key),
    maxPoints: settings.maxPoints,
    now,
  }
  let listener: Listener | undefined
  let stopping = new AbortController()
  const app = createApp({
    system,
    expiredToken: settings.expiredToken ?? PROFILES[settings.profile].expiredToken,
    around: [
      logRequests(requestLog, settings.clock),
      (context, next) => delay(context.path, stopping.signal, world.stage.current()).then(next),
    ],
  })
  return {
    get url() {
      return listener?.url ?? ''
    },
    pools: world.pools.map(({ id, name, nodes }) => ({ id, name, nodes: nodes.map((node) => node.name) })),
    log: requestLog.log,
    liveSessions: sessions.live,
    scenario: world.stage.current,
    setScenario: (scenario, from = now() - (now() % SWITCH_GRID_SECONDS)) =>
      world.stage.play(scenario, now(), from),
    start: async () => {
      stopping = new AbortController()
      listener = await listen(settings.listenAddress, undefined, app.callback())
    },
    stop: async () => {
      stopping.abort()
      await listener?.close()
      listener = undefined
    },
  }
}

function logRequests({ begin, end }: ReturnType<typeof createRequestLog>, clock: () => number): Middleware {
  return async (context, next) => {
    const request = {
      operation: operationOf(context.method, context.path, context.querystring),
      method: context.method,
      path: context.path,
      query: context.querystring,
      token: context.get(TOKEN_HEADER) || undefined,
      headers: context.headers,
      time: clock(),
      status: undefined as number | undefined,
    }
    begin(request)
    context.set('Date', new Date(clock()).toUTCString())
    try {
      await next()
      request.status = context.status
    } finally {
      end(request)
    }
  }
}

async function delay(path: string, signal: AbortSignal, scenario: Scenario): Promise<void> {
  const milliseconds = answerDelay(scenario)
  if (milliseconds > 0 && path.startsWith('/dashboard/')) await sleep(milliseconds, undefined, { signal })
}
