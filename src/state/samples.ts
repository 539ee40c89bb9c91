import { RESULTS } from '../api/errors/reasons.ts'
import type { Provider } from '../api/providers/providers.ts'
import { type Family, STATE } from '../metrics/families.ts'
import { filterPart, labelText, type Part, renderPart, type Sample } from '../metrics/lines.ts'
import { poolLabelText } from '../metrics/samples.ts'
import { boundedName } from '../values/names.ts'
import type { PoolState, SystemState } from './state.ts'

/** The gauges about a system. */
export function systemPart(system: SystemState): Part {
  const { add, part } = createCollector()
  const base = labelText({ system: system.name })
  add(STATE.systemInfo, labelText({ system: system.name, ...system.labels }), 1)
  // A system that could not even be asked, say because the token file is unreadable, is not up.
  const up = system.up ?? (system.tried ? false : undefined)
  add(STATE.systemUp, base, up === undefined ? undefined : Number(up))
  const { performance } = system
  add(STATE.queryUp, base, performance && Number(performance.failure === undefined))
  add(STATE.clockSkew, base, system.clockSkewSeconds)
  add(STATE.tlsNotAfter, base, system.tlsNotAfterSeconds)
  addProviders(add, base, system.inventory?.providers)
  return part()
}

/** The gauges about a pool and its polls. */
export function poolPart(system: string, pool: PoolState): Part {
  const { lastAttempt, lastSuccess, reading, polls } = pool
  const { add, part } = createCollector()
  const base = poolLabelText({ system, pool: pool.label, poolId: pool.ref.id })
  add(STATE.poolInfo, base, 1)
  for (const result of RESULTS) add(STATE.polls, `${base},result="${result}"`, polls.get(result) ?? 0)
  add(STATE.poolNodes, base, reading?.nodes.length)
  add(STATE.poolLastSuccess, base, lastSuccess)
  if (lastAttempt !== undefined) {
    add(STATE.poolUp, base, lastAttempt.failure === undefined ? 1 : 0)
    add(STATE.poolPollDuration, base, lastAttempt.seconds)
  }
  return part()
}

type Add = (family: Family, labels: string, value: number | undefined) => void

function createCollector(): { readonly add: Add; readonly part: () => Part } {
  const samples = new Map<string, Sample[]>()
  return {
    add({ name }, labels, value) {
      if (value === undefined) return
      const list = samples.get(name)
      if (list === undefined) samples.set(name, [{ labels, value }])
      else list.push({ labels, value })
    },
    part: () => renderPart(samples),
  }
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

/** The lines that count what this exporter did. */
export function onlyCounters(part: Part): Part {
  return filterPart(part, (family) => COUNTERS.has(family))
}

/** One series for each id: a provider that is listed twice counts once. */
function addProviders(add: Add, base: string, providers: readonly Provider[] | undefined): void {
  if (providers === undefined) return
  const unique = new Map(providers.map((provider) => [boundedName(provider.id), provider]))
  add(STATE.providers, base, unique.size)
  for (const [id, { name }] of unique) {
    const provider = name === '' ? id : boundedName(name)
    add(STATE.providerInfo, `${base},${labelText({ provider, provider_id: id })}`, 1)
  }
}
