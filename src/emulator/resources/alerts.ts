import { timeText } from '../../time_units.ts'
import { spaceOf } from '../model/gauges.ts'
import type { StorageModel } from '../model/model.ts'
import { mix, sum, uuidOf } from '../model/random.ts'
import { nodesAt, type Pool } from '../model/topology.ts'
import type { Document } from '../protocol/format.ts'
import { replicationLinks } from './replication.ts'
import { pageOf, type ResourceRequest } from './request.ts'

export const SEVERITIES = ['Critical', 'Error', 'Warning', 'Info'] as const
type Severity = (typeof SEVERITIES)[number]

/** Since 1 January 2020 there are alerts that are not acknowledged. */
const BUILT = 1_577_836_800
/** In scenario "array-alerts" there is one more warning in each interval. */
const WARNING_SECONDS = 1_800
const MAX_WARNINGS = 5_000
const NEARLY_FULL = 0.8
const FULL = 0.9
const ALERT_SALT = 111
const FILTERS = ['severity', 'type', 'namespace', 'acknowledged'] as const

/** Unacknowledged alerts with the same cause. @param symptomCode those of nodes, full pools and the last two causes are assumptions */
function alerts(severity: Severity, count: number, symptomCode: number, type: string, description: string) {
  return { severity, count, symptomCode, type, description }
}

const MADE = [
  alerts('Critical', 1, 3001, 'Tables', 'Directory tables are not initialized'),
  alerts('Error', 2, 1341, 'Garbage', 'Garbage is reclaimed too slowly'),
]
const LASTING = [
  alerts('Warning', 1, 2063, 'Disk', 'A disk was missing'),
  alerts('Info', 12, 1500, 'Audit', 'A user was created'),
]

/**
 * The unacknowledged alerts at a time: those of the state of the system, and some that stay. They occurred from `since`
 * on, the next one `every` so many seconds. Times in epoch seconds.
 */
function alertsAt(model: StorageModel, t: number) {
  const { scenario, day } = model.timeline.periodAt(t)
  const isMade = scenario === 'array-alerts'
  const failed = replicationLinks(model, t).filter(({ state, group }) => state === 'Failed' && group.hasData)
  const warnings = Math.min(MAX_WARNINGS, 3 + Math.floor(Math.max(0, t - day) / WARNING_SECONDS))
  const growing = alerts('Warning', warnings, 4019, 'Monitoring', 'No monitoring data for 30 minutes')
  const from = (since: number, every: number, list: readonly ReturnType<typeof alerts>[]) =>
    list.map((one) => ({ ...one, since, every }))
  return [
    ...from(
      day,
      0,
      model.pools.flatMap((pool) => alertsOfPool(model, pool, t)),
    ),
    ...from(day, 0, [alerts('Error', failed.length, 1012, 'RPO', 'A replication link has failed')]),
    ...from(day, 0, isMade ? MADE : []),
    ...from(day - 2 * WARNING_SECONDS, WARNING_SECONDS, isMade ? [growing] : []),
    ...from(BUILT, 3_600, LASTING),
  ]
}

/** Nodes that are not available and a full pool are critical, bad disks are errors. */
function alertsOfPool(model: StorageModel, pool: Pool, t: number) {
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

export function alertCount(model: StorageModel, t: number, severity: Severity): number {
  return sum(alertsAt(model, t).map((one) => (one.severity === severity ? one.count : 0)))
}

/** `GET /vdc/alerts`: the unacknowledged alerts, of which localzone has the counts, the newest first. */
export function alertList(request: ResourceRequest): Document {
  const { query, model, now } = request
  const [start, end] = [query.get('start_time') ?? '', query.get('end_time') ?? '9999']
  const found = alertsAt(model, now)
    .flatMap(({ count, since, every, severity, symptomCode, ...alert }, cause) =>
      Array.from({ length: count }, (_, index) => ({
        id: `urn:storageos:Alert:${uuidOf(mix(mix(model.key, ALERT_SALT + cause), index))}`,
        type: alert.type,
        severity: severity.toUpperCase(),
        timestamp: timeText(since + index * every).replace('Z', ''),
        namespace: '',
        description: alert.description,
        symptomCode: String(symptomCode),
        acknowledged: false,
      })),
    )
    .filter(
      (alert) =>
        alert.timestamp >= start &&
        alert.timestamp < end &&
        FILTERS.every((name) => [null, String(alert[name])].includes(query.get(name))),
    )
    .sort((a, b) => Number(a.timestamp < b.timestamp) - Number(a.timestamp > b.timestamp))
  const names = { root: 'alerts', list: 'alert', count: 'MaxAlerts' }
  return pageOf(request, names, found, (alert) => alert)
}
