import { silentLog } from '../../../src/log.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'
import type { PollerStatus } from '../../../src/readings/poller.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import { createMetricsApp, type MetricsAppOptions } from '../../../src/server/metrics/metrics_app.ts'
import type { ProbeSources } from '../../../src/server/metrics/probe.ts'
import type { StatusAppOptions } from '../../../src/server/status/status_app.ts'
import type { SystemState } from '../../../src/state/state.ts'
import { createRecent } from '../../../src/status/recent.ts'
import { clientOf, configOf, onlySystem, T } from '../../readings/setup.ts'

/** A system that is polled every minute, 20 seconds before its next poll. */
export function pollingOf(name: string, more: Partial<PollerStatus> = {}): PollerStatus {
  const config = configOf('', `{name: ${name}, base_url: "https://ecs1.example.net:4443", auth: {token: t}}`)
  return {
    system: onlySystem(config),
    client: clientOf({}).status(),
    nextPollMs: (T + 20) * 1000,
    historyFailures: new Map(),
    ...more,
  }
}

/** The sources of a status page that shows these systems at the time T. */
export function statusSources(
  systems: readonly SystemState[],
  more: Partial<StatusAppOptions> = {},
): Omit<StatusAppOptions, 'slots' | 'ready'> {
  return {
    version: '1.2.3',
    systems: () => systems,
    polling: pollingOf,
    recent: createRecent(() => 0),
    alerting: () => undefined,
    now: () => T * 1000,
    adminUrl: () => undefined,
    metricsPath: '/metrics',
    ...more,
  }
}

/** What is known of systems for `/probe`, `/history` and `/sd`: nothing, unless the test says so. */
export function probeSources(sources: Partial<ProbeSources> = {}): ProbeSources {
  return {
    systems: () => [],
    probe: async () => undefined,
    history: () => undefined,
    ...sources,
  }
}

/** The application for metrics of no system, under every host name, unless the test says something else. */
export function metricsApp(options: Partial<MetricsAppOptions> = {}) {
  return createMetricsApp({
    exposition: () => createExposition([]),
    own: createOwnMetrics({ version: '1.2.3', nodeVersion: 'v24' }),
    probes: probeSources(),
    ready: () => true,
    reload: undefined,
    status: statusSources([]),
    origin: { listenHosts: [], allowedHosts: undefined },
    log: silentLog,
    ...options,
  })
}

/** A listener for metrics that has pages and no metrics of systems. It must be started. */
export function pageListener(
  status: MetricsAppOptions['status'],
  {
    address = '127.0.0.1:0',
    ...more
  }: { address?: string } & Pick<Partial<MetricsAppOptions>, 'origin'> = {},
) {
  const handler = metricsApp({ status, ...more })
  return createListener({ address, handler, log: silentLog })
}
