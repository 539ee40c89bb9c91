import { setTimeout as sleep } from 'node:timers/promises'
import type { Middleware } from 'koa'
import { createFaults } from './faults/active.ts'
import { faultMiddleware } from './faults/middleware.ts'
import { type Fault, parseFault } from './faults/table.ts'
import type { User } from './http/accounts.ts'
import { createApp } from './http/app.ts'
import { createProviders } from './http/providers.ts'
import { createRequestLog, type RequestLog } from './http/request_log.ts'
import { HANDLERS } from './http/routes.ts'
import { createSessions } from './http/sessions.ts'
import { createListener } from './listener.ts'
import { createModel } from './model/model.ts'
import { STATISTICS_INTERVAL_SECONDS } from './model/node_state.ts'
import { SCENARIOS, type Scenario, type ScenarioRow } from './model/scenarios.ts'
import type { Timeline } from './model/timeline.ts'
import { type EmulatorOptions, resolveOptions } from './options.ts'
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
  /** With the names of their nodes. */
  readonly pools: readonly { readonly id: string; readonly name: string; readonly nodes: readonly string[] }[]
  readonly log: RequestLog
  /** Number of valid tokens of a user that were created by logins. */
  readonly liveSessions: (user: User) => number
  readonly scenario: () => Scenario
  /**
   * Switches to another scenario, from the start of the current five minutes or from `from` on (epoch seconds);
   * `-Infinity` also replaces the whole past.
   * @param firstNode index of the node of each pool that the scenario treats as the first one
   */
  readonly setScenario: (scenario: Scenario, from?: number, firstNode?: number) => void
  /** Replaces the active faults. Text in the format of the command line. @throws RangeError for invalid text */
  readonly setFaults: (faults: readonly (string | Fault)[]) => void
}

const MS_PER_SECOND = 1_000

/** Creates a storage system; only `start` opens a port. @throws RangeError for invalid options */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const settings = resolveOptions(options)
  const now = () => Math.floor(settings.clock() / MS_PER_SECOND)
  const model = createModel(settings, now())
  const sessions = createSessions(settings.clock, settings.sessions)
  const faults = createFaults(model.pools, now, sessions.limitUses)
  const setFaults: Emulator['setFaults'] = (list) =>
    faults.set(list.map((fault) => (typeof fault === 'string' ? parseFault(fault) : fault)))
  setFaults(settings.faults)
  const recorder = createRequestLog(settings.clock)
  const listener = createListener(settings.listenAddress, settings.tls)
  const system = {
    ...settings,
    model,
    sessions,
    providers: createProviders(model.key),
    counters: createCounters(model),
  }
  const app = createApp(
    { sessions, handle: (operation, request) => HANDLERS[operation](system, request) },
    settings.expiredToken ?? PROFILES[settings.profile].expiredToken,
    [
      recorder.middleware,
      faultMiddleware(faults, settings.clock, listener.stopping),
      delayDashboard(model.timeline, listener.stopping),
    ],
  )
  return {
    get url() {
      return listener.url()
    },
    get certificate() {
      return listener.certificate()
    },
    pools: model.pools.map(({ id, name, nodes }) => ({ id, name, nodes: nodes.map((node) => node.name) })),
    liveSessions: sessions.live,
    scenario: model.timeline.current,
    setScenario: (scenario, from = now() - (now() % STATISTICS_INTERVAL_SECONDS), firstNode = 0) =>
      model.timeline.switchTo(scenario, now(), from, firstNode),
    log: recorder.log,
    setFaults,
    start: () => listener.open(app.callback()),
    stop: listener.close,
  }
}

/** Delays responses under /dashboard/ as the scenario says. */
function delayDashboard(timeline: Timeline, stopping: () => AbortSignal): Middleware {
  return async (context, next) => {
    const { responseDelayMs = 0 }: ScenarioRow = SCENARIOS[timeline.current()]
    if (responseDelayMs > 0 && context.path.startsWith('/dashboard/')) {
      await sleep(responseDelayMs, undefined, { signal: stopping() })
    }
    await next()
  }
}
