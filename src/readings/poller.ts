import { type ClientObserver, createClient, type SystemClient } from '../api/client.ts'
import { logRequest } from '../api/http/exchanges.ts'
import { createHttpLimits, type HttpLimits } from '../api/http/transport.ts'
import { type Config, type SystemConfig, sameConfig } from '../config/config.ts'
import type { HistoryDocument } from '../history/recent.ts'
import type { Log } from '../log.ts'
import type { OwnMetrics } from '../metrics/own.ts'
import type { ConfiguredSystem, StateStore } from '../state/store.ts'
import { pollPeriodMs } from '../values/schedule.ts'
import type { Probe } from './probe.ts'
import { poolFields } from './reading_log.ts'
import { createSystemPoller, type SystemPoller } from './system_poller.ts'

/** Polls all configured systems. */
export type Poller = ReturnType<typeof createPoller>

export type PollerStatus = Readonly<ReturnType<typeof statusOf>>

interface PollerOptions {
  readonly store: StateStore
  readonly own: OwnMetrics
  readonly log: Log
  readonly httpLimits?: HttpLimits
  readonly onRequest?: (system: string) => void
  /** Clock of the history, in milliseconds since the epoch. Default: that of the process. */
  readonly now?: () => number
}

interface Runner {
  readonly system: SystemConfig
  readonly client: SystemClient
  readonly poller: SystemPoller
}

export function createPoller(options: PollerOptions) {
  const { store, own, log, httpLimits = createHttpLimits() } = options
  let runners: ReadonlyMap<string, Runner> = new Map()
  let isReady = false

  const isTried = ({ name, poll }: SystemConfig) =>
    poll.schedule === '' || [store.system(name), store.shownSystem(name)].every((one) => one?.tried)

  async function end({ system, poller, client }: Runner): Promise<void> {
    try {
      await poller.stop()
      await client.close()
    } catch (failure) {
      // A failure of one system must not prevent that others are stopped or started.
      log.error('system could not be stopped cleanly', { system: system.name, error: String(failure) })
    }
  }

  return {
    /**
     * Polls exactly the systems of this configuration from now on. Systems that did not change keep their session, values
     * and schedule; others are logged out and begin anew.
     */
    async use(config: Config): Promise<void> {
      const before = runners
      const next = config.systems.map((system) => {
        const old = before.get(system.name)
        const unchanged = old !== undefined && sameConfig(old.system, system)
        return unchanged ? old : createRunner(system, { ...options, httpLimits })
      })
      runners = new Map(next.map((runner) => [runner.system.name, runner]))
      const ended = [...before.values()].filter((runner) => !next.includes(runner))
      await Promise.all(ended.map(end))
      for (const { system } of ended) if (!runners.has(system.name)) own.forgetSystem(system.name)
      const replaced = ended.filter(({ system }) => !keepsState(system, runners.get(system.name)?.system))
      await store.show(config.systems.map(shownSystem), new Set(replaced.map(({ system }) => system.name)))
      for (const runner of next) if (before.get(runner.system.name) !== runner) runner.poller.start()
      for (const { poller } of next) poller.useHistory(config.history)
    },
    /** Undefined for a system that is not polled. */
    status(name: string): PollerStatus | undefined {
      const runner = runners.get(name)
      return runner && statusOf(runner)
    },
    /** Undefined: there is no such system, or it has no such pool. */
    probe: (name: string, ...parameters: Parameters<Probe>): ReturnType<Probe> =>
      probeNewest(() => runners.get(name), ...parameters),
    /** The last samples of a system; undefined if `history` is disabled or there is no such system. */
    history: (name: string): HistoryDocument | undefined => runners.get(name)?.poller.history(),
    /**
     * Whether every system was tried once, and the exposition shows it; those that are polled only when they are probed are
     * ready at once. It stays so: a reload that adds a system would remove the others from their Service.
     */
    ready(): boolean {
      isReady ||= runners.size > 0 && [...runners.values()].every(({ system }) => isTried(system))
      return isReady
    },
    /** Ends running polls, logs out, closes connections. */
    async stop(): Promise<void> {
      const last = [...runners.values()]
      runners = new Map()
      isReady = false
      await Promise.all(last.map(end))
    },
  }
}

/** The state of a system with another address or account is not kept; with other schedules, limits, pools and resources it is. */
function keepsState(old: SystemConfig, next: SystemConfig | undefined): boolean {
  if (next === undefined) return false
  const { pools, poll, forecast, limits, resources } = next
  const performance = { ...old.performance, schedule: next.performance.schedule }
  const changed = { pools, poll, forecast, limits, resources, performance }
  return sameConfig({ ...old, ...changed }, next)
}

function shownSystem({ name, labels, poll }: SystemConfig): ConfiguredSystem {
  if (poll.schedule === '') return { name, labels, isOnlyProbed: true }
  return { name, labels, pollIntervalSeconds: pollPeriodMs(poll.schedule) / 1000 }
}

function createRunner(system: SystemConfig, options: PollerOptions & { httpLimits: HttpLimits }): Runner {
  const client = createClient({ system, observer: observe(system.name, options), ...options })
  return { system, client, poller: createSystemPoller({ system, client, ...options }) }
}

function statusOf({ system, client, poller }: Runner) {
  const historyFailures = poller.historyFailures()
  return { system, client: client.status(), historyFailures, nextPollMs: poller.nextPollMs() }
}

/** Probes a system, and again if a reload has replaced it meanwhile. */
async function probeNewest(
  newest: () => Runner | undefined,
  ...[poolId, signal]: Parameters<Probe>
): ReturnType<Probe> {
  for (;;) {
    const runner = newest()
    if (runner === undefined) return undefined
    const exposition = await runner.poller.probe(poolId, signal)
    if (newest() === runner || signal.aborted) return exposition
  }
}

/** Passes the measurements of a client to the counters and to the store. */
function observe(system: string, { store, own, log, onRequest }: PollerOptions): ClientObserver {
  const set = (key: 'up' | 'clockSkewSeconds' | 'tlsNotAfterSeconds', value: boolean | number) =>
    store.update(system, (state) => (state[key] === value ? state : { ...state, [key]: value }))
  return {
    exchanged(exchange) {
      const { operation, code, seconds, pool } = exchange
      own.request({ system, operation, code, seconds })
      onRequest?.(system)
      logRequest(log, { system, ...exchange }, () => poolFields(store.system(system), pool))
    },
    responded: (up) => set('up', up),
    loggedIn: (result) => own.login(system, result),
    clockSkew: (seconds) => set('clockSkewSeconds', seconds),
    certificate: (notAfterSeconds) => set('tlsNotAfterSeconds', notAfterSeconds),
  }
}
