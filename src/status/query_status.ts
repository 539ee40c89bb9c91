import { failureState } from '../api/query/answers/refusals.ts'
import { isQueried } from '../api/query/merge.ts'
import type { PollerStatus } from '../readings/poller.ts'
import type { SystemState } from '../state/state.ts'
import { counted } from '../text.ts'
import { errorStatus } from './finding.ts'

/**
 * `off`: not configured. `not_needed`: the dashboard API has the values. `pending`: not polled yet. `empty`: no current data.
 */
type QueryState = 'off' | 'not_needed' | 'pending' | 'ok' | 'empty' | 'failing'

export function queryStatus(system: SystemState, polling: PollerStatus) {
  const { performance } = system
  const next = polling.nextQueriesMs
  const error = errorStatus(performance?.failure ?? performance?.partFailure)
  const state = stateOf(system, polling.system)
  return {
    ...state,
    nodes: performance?.reading?.nodes.length ?? null,
    next_timestamp_seconds:
      next === undefined || state.state === 'not_needed' ? null : Math.round(next / 1000),
    error,
  }
}

function stateOf(
  { performance, pools }: SystemState,
  config: PollerStatus['system'],
): { readonly state: QueryState; readonly summary: string } {
  if (config.performance.source === 'feed')
    return { state: 'off', summary: 'not polled (performance.source is feed)' }
  if (performance === undefined) {
    return isQueried(config, pools) !== false
      ? { state: 'pending', summary: 'not polled yet' }
      : { state: 'not_needed', summary: 'not needed: the dashboard API has performance metrics' }
  }
  const { failure, partFailure, reading } = performance
  if (failure !== undefined) return { state: 'failing', summary: failureState(failure.reason) }
  const nodes = reading?.nodes.length ?? 0
  const part = partFailure === undefined ? '' : '; some queries failed'
  return nodes === 0
    ? { state: 'empty', summary: 'polled, without current data' }
    : { state: 'ok', summary: `polled, ${counted(nodes, 'node')}${part}` }
}
