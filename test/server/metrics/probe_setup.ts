import { onTestFinished } from 'vitest'
import { silentLog } from '../../../src/log.ts'
import { createExposition } from '../../../src/metrics/exposition.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'
import { createMetricsApp, OPEN_PATHS } from '../../../src/server/metrics/metrics_app.ts'
import type { ProbeSources } from '../../../src/server/metrics/probe.ts'
import { newSystem } from '../../../src/state/state.ts'
import { startListener } from '../listener/listener_setup.ts'
import { statusSources } from '../status/status_setup.ts'

/** Starts a listener for systems a and b until the end of the test. Returns its URL. */
export async function startProbes(
  sources: Pick<ProbeSources, 'probe' | 'history'>,
  maxRequests?: number,
): Promise<string> {
  const app = createMetricsApp({
    exposition: () => createExposition([]),
    own: createOwnMetrics({ version: '1.2.3', nodeVersion: 'v24' }),
    probes: { systems: () => [newSystem('a'), newSystem('b')], ...sources },
    maxRequests,
    ready: () => true,
    reload: undefined,
    status: statusSources([]),
    log: silentLog,
  })
  const listener = await startListener({ handler: app, openPaths: OPEN_PATHS })
  onTestFinished(() => listener.stop())
  return listener.url
}
