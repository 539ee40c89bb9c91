import { isQueried } from '../api/query/merge.ts'
import type { PollerStatus } from '../readings/poller.ts'
import { type ResourceSummary, resourceSummaries } from '../state/resources.ts'
import type { SystemState } from '../state/state.ts'
import { RESOURCE_NAMES, RESOURCES, type ResourceRow } from '../system_catalogue.ts'
import { counted } from '../text.ts'
import { errorStatus } from './finding.ts'

/**
 * `off`: not configured. `pending`: not read yet. `partial`: a request of it failed, or is not served or not allowed.
 * `unavailable`: none is.
 */
type ResourceReadState = 'off' | 'pending' | 'ok' | 'partial' | 'unavailable' | 'failing'

export function resourceStatus(state: SystemState, { system }: Pick<PollerStatus, 'system'>) {
  const summaries = resourceSummaries(state)
  return RESOURCE_NAMES.map((name) => {
    const summary = summaries.get(name)
    const { schedule } = system.resources[name]
    const row: ResourceRow = RESOURCES[name]
    const isNeeded = row.isQueried !== true || isQueried(system, state.pools) !== false
    return {
      name,
      description: row.text,
      ...(isNeeded ? stateOf(summary, schedule) : NOT_NEEDED),
      schedule,
      objects: summary?.objects?.exported ?? null,
      left_out: summary?.objects?.left_out ?? null,
      last_success_timestamp_seconds: summary?.lastSuccess ?? null,
      error: errorStatus(summary?.failure ?? summary?.refusal),
    }
  })
}

const NOT_NEEDED = {
  state: 'off',
  summary: 'not read, as the Flux API is not: the dashboard API has performance metrics',
} as const

function stateOf(
  resource: ResourceSummary | undefined,
  schedule: string,
): { readonly state: ResourceReadState; readonly summary: string } {
  if (schedule === '') return { state: 'off', summary: 'not read (the schedule is empty)' }
  if (resource === undefined) return { state: 'pending', summary: 'not read yet' }
  const { isAvailable, isAnswered, failure, refusal, objects } = resource
  if (!isAvailable) return { state: 'unavailable', summary: 'not available' }
  if (!isAnswered) return { state: 'failing', summary: 'could not be read' }
  if (objects === undefined) return { state: 'failing', summary: 'not read for too long' }
  const text = `${counted(objects.exported, 'object')}${objects.left_out === 0 ? '' : `, ${objects.left_out} left out`}`
  if (failure !== undefined) return { state: 'partial', summary: `${text}, a part could not be read` }
  if (refusal !== undefined) return { state: 'partial', summary: `${text}, a part is not available` }
  return { state: 'ok', summary: text }
}
