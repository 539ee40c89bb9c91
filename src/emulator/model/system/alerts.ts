import { spaceOf } from '../capacity.ts'
import type { StorageModel } from '../model.ts'
import type { Scenario } from '../scenarios.ts'
import { nodesAt, type Pool } from '../topology.ts'
import { replicationLinks } from './sites.ts'

export const SEVERITIES = ['Critical', 'Error', 'Warning', 'Info'] as const
export type Severity = (typeof SEVERITIES)[number]

/** An alert that nobody has acknowledged. */
export interface Alert {
  readonly severity: Severity
  readonly code: number
  readonly type: string
  readonly description: string
}

/** Of notes that are never acknowledged, and of the growing warnings of scenario "array-alerts". */
const NOTES = 12
const WARNING_SECONDS = 1_800
const MAX_WARNINGS = 5_000
const NEARLY_FULL = 0.8
const FULL = 0.9

/** The unacknowledged alerts at a time, in epoch seconds: those of the state of the system, and some that stay. */
export function alertsAt(model: StorageModel, t: number): Alert[] {
  const { scenario, day } = model.timeline.periodAt(t)
  return [
    ...model.pools.flatMap((pool) => alertsOfPool(model, pool, t)),
    ...replicationLinks(model, t)
      .filter(({ state, group }) => state === 'Failed' && group.hasData)
      .map(({ group, remote }) =>
        alert('Error', 1012, 'RPO', `RPO of ${group.name} to ${remote} is exceeded`),
      ),
    ...alertsOfScenario(scenario, t - day),
    alert('Warning', 1008, 'BUCKET_QUOTA', 'The soft quota of a bucket is exceeded'),
    ...Array.from({ length: NOTES }, (_, index) =>
      alert('Info', 900 + index, 'LICENSE', `Note ${index + 1}`),
    ),
  ]
}

export function alertCounts(model: StorageModel, t: number): Record<Severity, number> {
  const counts = { Critical: 0, Error: 0, Warning: 0, Info: 0 }
  for (const { severity } of alertsAt(model, t)) counts[severity]++
  return counts
}

function alertsOfPool(model: StorageModel, pool: Pool, t: number): Alert[] {
  const states = nodesAt(pool, t).map((node) => model.stateOf(node, t, 'current'))
  const spaces = states.map(spaceOf)
  const total = spaces.reduce((sum, space) => sum + space.total, 0)
  const used = spaces.reduce((sum, space) => sum + space.allocated, 0) / total
  const capacity: Alert[] =
    used > NEARLY_FULL
      ? [alert(used > FULL ? 'Critical' : 'Warning', 1004, 'CAPACITY', `Pool ${pool.name} is nearly full`)]
      : []
  const nodes = states.flatMap(({ node, effects: { health, badDisks } }) => [
    ...(health === 'Bad' || health === 'NotAccessible'
      ? [alert('Critical', 2050, 'NODE', `Node ${node.name} is not available`)]
      : []),
    ...Array.from({ length: badDisks }, () =>
      alert('Error', 2006, 'DISK', `Node ${node.name} has a bad disk`),
    ),
  ])
  return [...capacity, ...nodes]
}

function alertsOfScenario(scenario: Scenario, seconds: number): Alert[] {
  if (scenario !== 'array-alerts') return []
  const warnings = Math.min(MAX_WARNINGS, 3 + Math.floor(Math.max(0, seconds) / WARNING_SECONDS))
  return [
    alert('Critical', 3001, 'DIRECTORY_TABLE', 'Directory tables are not initialised'),
    alert('Error', 2063, 'DISK', 'A disk is missing'),
    alert('Error', 4019, 'MONITORING', 'There is no monitoring data for 30 minutes'),
    ...Array.from({ length: warnings }, () =>
      alert('Warning', 1321, 'GARBAGE', 'Garbage is reclaimed too slowly'),
    ),
  ]
}

function alert(severity: Severity, code: number, type: string, description: string): Alert {
  return { severity, code, type, description }
}
