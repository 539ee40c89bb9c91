import { spaceOf } from '../capacity.ts'
import type { StorageModel } from '../model.ts'
import { nodesAt, type Pool } from '../topology.ts'
import { replicationLinks } from './sites.ts'

export const SEVERITIES = ['Critical', 'Error', 'Warning', 'Info'] as const
type Counts = Record<(typeof SEVERITIES)[number], number>

/** Alerts that every system has and nobody acknowledges. */
const LASTING: Partial<Counts> = { Warning: 1, Info: 12 }
/** In scenario "array-alerts" there is one more warning in each interval. */
const WARNING_SECONDS = 1_800
const MAX_WARNINGS = 5_000
const NEARLY_FULL = 0.8
const FULL = 0.9

/** The unacknowledged alerts at a time, in epoch seconds: those of the state of the system, and some that stay. */
export function alertCounts(model: StorageModel, t: number): Counts {
  const { scenario, day } = model.timeline.periodAt(t)
  const failed = replicationLinks(model, t).filter(({ state, group }) => state === 'Failed' && group.hasData)
  const parts: Partial<Counts>[] = [
    ...model.pools.map((pool) => alertsOfPool(model, pool, t)),
    { Error: failed.length },
    scenario === 'array-alerts' ? { Critical: 1, Error: 2, Warning: warningsAfter(t - day) } : {},
    LASTING,
  ]
  const sum = (severity: keyof Counts) => parts.reduce((total, part) => total + (part[severity] ?? 0), 0)
  return { Critical: sum('Critical'), Error: sum('Error'), Warning: sum('Warning'), Info: sum('Info') }
}

/** Nodes that are not available and a full pool are critical, bad disks are errors. */
function alertsOfPool(model: StorageModel, pool: Pool, t: number): Partial<Counts> {
  const states = nodesAt(pool, t).map((node) => model.stateOf(node, t))
  const spaces = states.map(spaceOf)
  const total = spaces.reduce((sum, space) => sum + space.total, 0)
  const used = spaces.reduce((sum, space) => sum + space.allocated, 0) / total
  const lost = states.filter(({ effects: { health } }) => health === 'Bad' || health === 'NotAccessible')
  return {
    Critical: lost.length + (used > FULL ? 1 : 0),
    Error: states.reduce((sum, { effects }) => sum + effects.badDisks, 0),
    Warning: used > NEARLY_FULL && used <= FULL ? 1 : 0,
  }
}

function warningsAfter(seconds: number): number {
  return Math.min(MAX_WARNINGS, 3 + Math.floor(Math.max(0, seconds) / WARNING_SECONDS))
}
