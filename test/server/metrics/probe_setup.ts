import { onTestFinished } from 'vitest'
import type { ProbeSources } from '../../../src/server/metrics/probe.ts'
import { newSystem } from '../../../src/state/state.ts'
import { startListener } from '../listener/listener_setup.ts'
import { metricsApp, probeSources } from '../status/status_setup.ts'

/** Starts a listener for systems a and b until the end of the test. Returns its URL. */
export async function startProbes(sources: Partial<ProbeSources>, maxRequests?: number): Promise<string> {
  const app = metricsApp({
    probes: probeSources({ systems: () => [newSystem('a'), newSystem('b')], ...sources }),
    maxRequests,
  })
  const listener = await startListener({ handler: app })
  onTestFinished(() => listener.stop())
  return listener.url
}
