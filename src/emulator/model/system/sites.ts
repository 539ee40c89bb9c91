import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../../time_units.ts'
import type { StorageModel } from '../model.ts'
import { mix, smoothNoise, uuidOf } from '../random.ts'
import { SCENARIOS, type Scenario, type ScenarioRow } from '../scenarios.ts'

const MEGABYTE = 1_000_000
/** A group that real systems have and do not show, with more than one site. */
const INTERNAL_UUID = '00000000-0000-0000-0000-000000000000'
const GROUP_SALT = 91
const PENDING_SALT = 92
/** Data that waits at a working link: MB, and how long, in seconds. */
const PENDING_MB = { repository: 900, journal: 40, xor: 260 }
const LAG_SECONDS = 180
/** Data written for a site that cannot be reached, in MB/s. */
const BACKLOG_MB_PER_SECOND = 45
/** Data that a site that joins again has to copy. */
const BOOTSTRAP_BYTES = 40e12

/** Sites (VDCs) at a time: those of the options, or as many as the scenario needs. */
export function siteCount(model: StorageModel, t: number): number {
  const { sites = 1 }: ScenarioRow = SCENARIOS[model.timeline.periodAt(t).scenario]
  return Math.max(model.sites, sites)
}

/** The name of a virtual data center. The first one is the emulated system. */
export function siteName({ vdcName }: StorageModel, index: number): string {
  return index === 0 ? vdcName : `${vdcName}-${index + 1}`
}

export type ReplicationGroup = ReturnType<typeof replicationGroups>[number]

/** The group of one site, and with more sites an active one, a passive one, and the internal one. */
export function replicationGroups(model: StorageModel, t: number) {
  const sites = siteCount(model, t)
  /** @param hasData whether its links to other sites have data */
  const groupOf = (index: number, name: string, zones: number, hasData = false) => {
    const uuid = name === 'internal' ? INTERNAL_UUID : uuidOf(mix(model.key, GROUP_SALT + index))
    return { index, name, zones, hasData, urn: `urn:storageos:ReplicationGroupInfo:${uuid}:global` }
  }
  const local = groupOf(0, 'rg-local', 1)
  if (sites === 1) return [local]
  return [
    local,
    groupOf(1, 'rg-geo', sites, true),
    groupOf(2, 'rg-passive', sites),
    groupOf(3, 'internal', sites),
  ]
}

export type ReplicationLink = ReturnType<typeof linkOf>

/** The links of the groups with more than one site. The internal group has none. */
export function replicationLinks(model: StorageModel, t: number): ReplicationLink[] {
  const sites = siteCount(model, t)
  const groups = replicationGroups(model, t).filter(({ zones, name }) => zones > 1 && name !== 'internal')
  return groups.flatMap((group) =>
    Array.from({ length: sites - 1 }, (_, index) => linkOf(model, group, index + 1, index + 2 === sites, t)),
  )
}

type LinkState = 'Good' | 'Failed' | 'Bootstrap'
const LINK_STATES: Readonly<Partial<Record<Scenario, LinkState>>> = {
  'site-down': 'Failed',
  'site-rejoin': 'Bootstrap',
}

function linkOf(model: StorageModel, group: ReplicationGroup, site: number, isLast: boolean, t: number) {
  const { scenario, day, from } = model.timeline.periodAt(t)
  const state = (isLast && LINK_STATES[scenario]) || 'Good'
  const key = mix(mix(model.key, PENDING_SALT), group.index * 10 + site)
  const downSince = Number.isFinite(from) ? from : day
  const backlog = state === 'Failed' ? Math.max(0, t - downSince) * BACKLOG_MB_PER_SECOND : 0
  const noise = 1 + 0.6 * smoothNoise(key, t, SECONDS_PER_HOUR)
  const bytesOf = (megabytes: number, part: number) =>
    group.hasData ? Math.floor((megabytes * noise + backlog * part) * MEGABYTE) : 0
  const progress = state === 'Bootstrap' ? (100 * (t % SECONDS_PER_DAY)) / SECONDS_PER_DAY : 0
  const waiting = state === 'Failed' ? downSince : t
  return {
    group,
    remote: siteName(model, site),
    id: uuidOf(key),
    state,
    /** Bytes. */
    pending: {
      repository: bytesOf(PENDING_MB.repository, 0.8),
      journal: bytesOf(PENDING_MB.journal, 0.02),
      xor: bytesOf(PENDING_MB.xor, 0.18),
    },
    /** Time of the oldest data that waits, in epoch seconds; undefined: none waits. */
    recoveryPoint: group.hasData ? Math.floor(waiting - LAG_SECONDS * noise) : undefined,
    /** Progress of a bootstrap, in percent. */
    progress,
    /** Bytes that a bootstrap has still to copy. */
    toCopy: state === 'Bootstrap' ? Math.floor(BOOTSTRAP_BYTES * (1 - progress / 100)) : 0,
  }
}
