import type { Middleware } from 'koa'
import { MS_PER_SECOND } from '../time_units.ts'
import { createProviders } from './http/providers.ts'
import { createSessions } from './http/sessions.ts'
import { createModel, STATISTICS_INTERVAL_SECONDS } from './model/model.ts'
import { SCENARIOS, type Scenario, type ScenarioRow, type Timeline } from './model/scenarios.ts'
import { type EmulatorOptions, resolveOptions } from './options.ts'
import { createCounters } from './query/counters.ts'
import { createSystemServer } from './server.ts'

export type Emulator = ReturnType<typeof createEmulator>

/** Creates a storage system; only `start` opens a port. @throws RangeError for invalid options */
export function createEmulator(options: EmulatorOptions = {}) {
  const settings = resolveOptions(options)
  const now = () => Math.floor(settings.clock() / MS_PER_SECOND)
  const model = createModel(settings, now())
  const sessions = createSessions(settings.clock)
  const system = {
    ...settings,
    model,
    providers: createProviders(model.key),
    counters: createCounters(model),
  }
  const server = createSystemServer({
    settings,
    pools: model.pools,
    sessions,
    dataAddresses: settings.dataPorts
      ? model.pools.flatMap(({ nodes }) => nodes.map(({ dataAddress }) => dataAddress))
      : [],
    handle: ({ row }, request) => row.handle({ ...system, ...request }),
    redirectsToLogin: settings.profile !== 'documented',
    middleware: delayDashboard(model.timeline),
  })
  return Object.assign(server, {
    /** With the names of their nodes. */
    pools: model.pools.map(({ id, name, nodes }) => ({ id, name, nodes: nodes.map((node) => node.name) })),
    /**
     * Switches to another scenario, from the start of the current five minutes or from `from` on (epoch seconds);
     * `-Infinity` also replaces the whole past.
     * @param firstNode index of the node of each pool that the scenario treats as the first one
     */
    setScenario: (scenario: Scenario, from = now() - (now() % STATISTICS_INTERVAL_SECONDS), firstNode = 0) =>
      model.timeline.switchTo(scenario, now(), from, firstNode),
  })
}

function delayDashboard({ current }: Timeline): Middleware {
  return async ({ path }, next) => {
    const { responseDelayMs = 0 }: ScenarioRow = SCENARIOS[current()]
    const ms = path.startsWith('/dashboard/') ? responseDelayMs : 0
    // By the clock of global timers, which tests move.
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms).unref())
    await next()
  }
}
