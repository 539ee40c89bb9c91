import { isQueried } from '../api/query/merge.ts'
import type { PollerStatus } from '../poller/poller.ts'
import type { ResourceState, SystemState } from '../state/state.ts'
import { RESOURCE_NAMES, RESOURCES } from '../system_catalogue.ts'
import { counted } from '../text.ts'
import { errorStatus } from './finding.ts'

/**
 * `off`: not configured. `pending`: not read yet. `partial`: a request of it failed, or is not served or not allowed.
 * `unavailable`: none is.
 */
type ResourceReadState = 'off' | 'pending' | 'ok' | 'partial' | 'unavailable' | 'failing'

export function resourceStatus({ resources, pools }: SystemState, { system }: Pick<PollerStatus, 'system'>) {
  return RESOURCE_NAMES.map((name) => {
    const state = resources.get(name)
    const schedule = system.resources.schedules[name]
    const isNeeded = name !== 'system_queries' || isQueried(system, pools) !== false
    return {
      name,
      description: RESOURCES[name].text,
      ...(isNeeded ? stateOf(state, schedule) : NOT_NEEDED),
      schedule,
      objects: state?.reading?.exportedObjects ?? null,
      left_out: state?.reading?.leftOut ?? null,
      last_success_timestamp_seconds: state?.lastSuccess ?? null,
      error: errorStatus(state?.failure ?? state?.partFailure),
    }
  })
}

const NOT_NEEDED = {
  state: 'off',
  summary: 'not read, as the query interface is not: the feed has performance figures',
} as const

function stateOf(
  state: ResourceState | undefined,
  schedule: string,
): { readonly state: ResourceReadState; readonly summary: string } {
  if (schedule === '') return { state: 'off', summary: 'not read (the schedule is empty)' }
  if (state === undefined) return { state: 'pending', summary: 'not read yet' }
  if (!state.isAvailable) return { state: 'unavailable', summary: 'not available' }
  if (state.failure !== undefined) return { state: 'failing', summary: 'could not be read' }
  if (state.reading === undefined) return { state: 'failing', summary: 'not read for too long' }
  const { exportedObjects, leftOut } = state.reading
  const more = leftOut === 0 ? '' : `, ${leftOut} left out`
  const missing = state.isComplete ? 'is not available' : 'could not be read'
  const part = state.partFailure === undefined ? '' : `, a part ${missing}`
  return {
    state: state.partFailure === undefined ? 'ok' : 'partial',
    summary: `${counted(exportedObjects, 'object')}${more}${part}`,
  }
}
