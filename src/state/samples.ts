import { RESULTS } from '../api/errors/reasons.ts'
import { type Family, STATE } from '../metrics/families.ts'
import { filterPart, labelText, type Part, renderPart, Samples } from '../metrics/lines.ts'
import { poolLabelText } from '../metrics/samples.ts'
import { type ResourceSummary, resourceSummaries } from './resources.ts'
import type { PoolState, SystemState } from './state.ts'

export function systemPart(system: SystemState): Part {
  const samples = new Samples()
  const base = labelText({ system: system.name })
  samples.add(STATE.systemInfo.name, labelText({ system: system.name, ...system.labels }), 1)
  samples.add(STATE.pollInterval.name, base, system.pollIntervalSeconds)
  // A system to which nothing could be sent, for example because the token file is unreadable, is not up.
  const up = system.up ?? (system.tried ? false : undefined)
  samples.add(STATE.systemUp.name, base, up === undefined ? undefined : Number(up))
  const { performance } = system
  samples.add(STATE.queryUp.name, base, performance && Number(performance.failure === undefined))
  samples.add(STATE.clockSkew.name, base, system.clockSkewSeconds)
  samples.add(STATE.tlsNotAfter.name, base, system.tlsNotAfterSeconds)
  for (const [name, state] of resourceSummaries(system))
    addResource(samples, `${base},resource="${name}"`, state)
  return renderPart(samples.byFamily)
}

function addResource(samples: Samples, base: string, resource: ResourceSummary): void {
  const { isAvailable, failure, lastSuccess, objects } = resource
  samples.add(STATE.resourceAvailable.name, base, Number(isAvailable))
  if (isAvailable) samples.add(STATE.resourceUp.name, base, Number(failure === undefined))
  samples.add(STATE.resourceLastSuccess.name, base, lastSuccess)
  for (const [state, count] of Object.entries(objects ?? {}))
    samples.add(STATE.resourceObjects.name, `${base},state="${state}"`, count)
}

export function poolPart(system: string, pool: PoolState): Part {
  const { lastAttempt, lastSuccess, reading, polls } = pool
  const samples = new Samples()
  const base = poolLabelText({ system, pool: pool.label, poolId: pool.ref.id })
  samples.add(STATE.poolInfo.name, base, 1)
  for (const result of RESULTS)
    samples.add(STATE.polls.name, `${base},result="${result}"`, polls.get(result) ?? 0)
  samples.add(STATE.poolNodes.name, base, reading?.nodes.length)
  samples.add(STATE.poolLastSuccess.name, base, lastSuccess)
  samples.add(STATE.poolUp.name, base, lastAttempt && Number(lastAttempt.failure === undefined))
  samples.add(STATE.poolPollDuration.name, base, lastAttempt?.seconds)
  return renderPart(samples.byFamily)
}

/** Names of the families that count what this exporter did. Other exporters of the same system have other counts. */
const COUNTERS = new Set(
  (Object.values(STATE) as readonly Family[])
    .filter(({ type }) => type === 'counter')
    .map(({ name }) => name),
)

/** The lines about the system, which every exporter would have. */
export function withoutCounters(part: Part): Part {
  return filterPart(part, (family) => !COUNTERS.has(family))
}

export function onlyCounters(part: Part): Part {
  return filterPart(part, (family) => COUNTERS.has(family))
}
