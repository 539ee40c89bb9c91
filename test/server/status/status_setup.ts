import { silentLog } from '../../../src/log.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'
import type { PollerStatus } from '../../../src/poller/poller.ts'
import { createListener } from '../../../src/server/listener/listener.ts'
import {
  createMetricsApp,
  type MetricsAppOptions,
  OPEN_PATHS,
} from '../../../src/server/metrics/metrics_app.ts'
import type { StatusAppOptions } from '../../../src/server/status/status_app.ts'
import type { SystemState } from '../../../src/state/state.ts'
import { createRecent } from '../../../src/status/recent/recent.ts'
import { clientOf, configOf, onlySystem, T } from '../../poller/setup.ts'

/** A system that is polled every minute, 20 seconds before its next poll. */
export function pollingOf(name: string, more: Partial<PollerStatus> = {}): PollerStatus {
  const config = configOf('', `{name: ${name}, base_url: "https://ecs1.example.net:4443", auth: {token: t}}`)
  return {
    system: onlySystem(config),
    client: clientOf({}).status(),
    nextPollMs: (T + 20) * 1000,
    nextQueriesMs: undefined,
    historyFailures: new Map(),
    ...more,
  }
}

/** The sources of a status page that shows these systems at the time T. */
export function statusSources(
  systems: readonly SystemState[],
  more: Partial<StatusAppOptions> = {},
): Omit<StatusAppOptions, 'admit' | 'ready'> {
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

/** A listener for metrics that has pages and no metrics of systems. It must be started. */
export function pageListener(
  status: MetricsAppOptions['status'],
  {
    address = '127.0.0.1:0',
    ...more
  }: { address?: string } & Pick<Partial<MetricsAppOptions>, 'origin'> = {},
) {
  const handler = createMetricsApp({
    exposition: () => createExposition([]),
    own: createOwnMetrics({ version: '1.2.3', nodeVersion: 'v24' }),
    ready: () => true,
    reload: undefined,
    status,
    log: silentLog,
    ...more,
  })
  return createListener({ address, handler, openPaths: OPEN_PATHS, log: silentLog })
}
