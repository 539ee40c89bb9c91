import { spaceOf } from '../capacity.ts'
import type { StorageModel } from '../model.ts'
import { sum } from '../random.ts'
import { nodesAt, type Pool } from '../topology.ts'
import { replicationLinks } from './sites.ts'

export const SEVERITIES = ['Critical', 'Error', 'Warning', 'Info'] as const
type Severity = (typeof SEVERITIES)[number]

/** Unacknowledged alerts with the same cause. */
export type Alerts = ReturnType<typeof alerts>

/** Since 1 January 2020 there are alerts that are not acknowledged. */
const BUILT = 1_577_836_800
/** In scenario "array-alerts" there is one more warning in each interval. */
const WARNING_SECONDS = 1_800
const MAX_WARNINGS = 5_000
const NEARLY_FULL = 0.8
const FULL = 0.9

/** @param symptomCode those of nodes, full pools and the last two causes are assumptions */
function alerts(severity: Severity, count: number, symptomCode: number, type: string, description: string) {
  return { severity, count, symptomCode, type, description }
}

/**
 * The unacknowledged alerts at a time: those of the state of the system, and some that stay. They occurred from `since`
 * on, the next one `every` so many seconds. Times in epoch seconds.
 */
export function alertsAt(model: StorageModel, t: number) {
  const { scenario, day } = model.timeline.periodAt(t)
  const failed = replicationLinks(model, t).filter(({ state, group }) => state === 'Failed' && group.hasData)
  const state = [
    ...model.pools.flatMap((pool) => alertsOfPool(model, pool, t)),
    alerts('Error', failed.length, 1012, 'RPO', 'A replication link has failed'),
    ...(scenario === 'array-alerts' ? MADE : []),
  ].map((one) => ({ ...one, since: day, every: 0 }))
  const warnings = Math.min(MAX_WARNINGS, 3 + Math.floor(Math.max(0, t - day) / WARNING_SECONDS))
  const growing = {
    ...alerts('Warning', warnings, 4019, 'Monitoring', 'No monitoring data for 30 minutes'),
    since: day - 2 * WARNING_SECONDS,
    every: WARNING_SECONDS,
  }
  const lasting = LASTING.map((one) => ({ ...one, since: BUILT, every: 3_600 }))
  return [...state, ...(scenario === 'array-alerts' ? [growing] : []), ...lasting]
}

export function alertCount(model: StorageModel, t: number, severity: Severity): number {
  return sum(alertsAt(model, t).map((one) => (one.severity === severity ? one.count : 0)))
}

const MADE = [
  alerts('Critical', 1, 3001, 'Tables', 'Directory tables are not initialized'),
  alerts('Error', 2, 1341, 'Garbage', 'Garbage is reclaimed too slowly'),
]
const LASTING = [
  alerts('Warning', 1, 2063, 'Disk', 'A disk was missing'),
  alerts('Info', 12, 1500, 'Audit', 'A user was created'),
]

/** Nodes that are not available and a full pool are critical, bad disks are errors. */
function alertsOfPool(model: StorageModel, pool: Pool, t: number): Alerts[] {
  const states = nodesAt(pool, t).map((node) => model.stateOf(node, t))
  const spaces = states.map(spaceOf)
  const used = sum(spaces.map(({ allocated }) => allocated)) / sum(spaces.map(({ total }) => total))
  const lost = states.filter(({ effects: { health } }) => health === 'Bad' || health === 'NotAccessible')
  const badDisks = sum(states.map(({ effects }) => effects.badDisks))
  const isFilling = used > NEARLY_FULL && used <= FULL
  return [
    alerts('Critical', lost.length, 2004, 'Node', `Nodes of pool ${pool.name} are not available`),
    alerts('Critical', used > FULL ? 1 : 0, 1111, 'Capacity', `Pool ${pool.name} is full`),
    alerts('Error', badDisks, 2006, 'Disk', `Disks of pool ${pool.name} have problems`),
    alerts('Warning', isFilling ? 1 : 0, 1112, 'Capacity', `Pool ${pool.name} is filling up`),
  ]
}
