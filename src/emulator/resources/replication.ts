import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { notationOf } from '../feed/attributes.ts'
import type { FeedRequest } from '../feed/query.ts'
import type { StorageModel } from '../model/model.ts'
import { keyOf, mix, smoothNoise, sum, uuidOf } from '../model/random.ts'
import { SCENARIOS, type Scenario, type ScenarioRow } from '../model/scenarios.ts'
import { findBy } from '../protocol/errors.ts'
import { linksTo, listText, type Members, objectText, ZONE } from '../protocol/format.ts'

const MEGABYTE = 1_000_000
/** A group that real systems have and do not show, with more than one site. */
const INTERNAL_UUID = '00000000-0000-0000-0000-000000000000'
const GROUP_SALT = 91
const PENDING_SALT = 92
/** Data that waits at a working link in MB, and its part of what waits at a failed one. */
const PENDING = {
  repository: { megabytes: 900, part: 0.8 },
  journal: { megabytes: 40, part: 0.02 },
  xor: { megabytes: 260, part: 0.18 },
} as const
type PendingKind = keyof typeof PENDING
const LAG_SECONDS = 180
/** Data written for a site that cannot be reached, in MB/s. */
const BACKLOG_MB_PER_SECOND = 45

/** Sites (VDCs) at a time: those of the options, or as many as the scenario needs. */
export function siteCount(model: StorageModel, t: number): number {
  const { sites = 1 }: ScenarioRow = SCENARIOS[model.timeline.periodAt(t).scenario]
  return Math.max(model.sites, sites)
}

type ReplicationGroup = ReturnType<typeof replicationGroups>[number]

/** The group of one site, and with more sites an active one, a passive one, and the internal one. */
export function replicationGroups(model: StorageModel, t: number) {
  const sites = siteCount(model, t)
  const names = sites === 1 ? ['rg-local'] : ['rg-local', 'rg-geo', 'rg-passive', 'internal']
  return names.map((name, index) => {
    const uuid = name === 'internal' ? INTERNAL_UUID : uuidOf(mix(model.key, GROUP_SALT + index))
    const urn = `urn:storageos:ReplicationGroupInfo:${uuid}:global`
    // Documents show ids with a blank after the colon, answers of real systems do not: here one group has it.
    const id = `Replication_Group:${name === 'rg-passive' ? ' ' : ''}${urn}`
    // Only the links of the active group have data.
    return { index, name, urn, id, zones: index === 0 ? 1 : sites, hasData: name === 'rg-geo' }
  })
}

type ReplicationLink = ReturnType<typeof linkOf>

/** The links of the groups with more than one site. The internal group has none. */
export function replicationLinks(model: StorageModel, t: number): ReplicationLink[] {
  const groups = replicationGroups(model, t).filter(({ zones, name }) => zones > 1 && name !== 'internal')
  return groups.flatMap((group) =>
    Array.from({ length: group.zones - 1 }, (_, index) => linkOf(model, group, index + 1, t)),
  )
}

type LinkState = 'Good' | 'Failed' | 'Bootstrap'
const LINK_STATES: Readonly<Partial<Record<Scenario, LinkState>>> = {
  'site-down': 'Failed',
  'site-rejoin': 'Bootstrap',
}
const LINK_STATUS = { Good: 'Good', Failed: 'Temp Unavailable', Bootstrap: 'Bootstrapping' } as const

function linkOf(model: StorageModel, group: ReplicationGroup, site: number, t: number) {
  const { scenario, day, from } = model.timeline.periodAt(t)
  const isLast = site + 1 === group.zones
  const state = (isLast && LINK_STATES[scenario]) || 'Good'
  const key = mix(mix(model.key, PENDING_SALT), group.index * 10 + site)
  const downSince = Number.isFinite(from) ? from : day
  const backlog = state === 'Failed' ? Math.max(0, t - downSince) * BACKLOG_MB_PER_SECOND : 0
  const noise = 1 + 0.6 * smoothNoise(key, t, SECONDS_PER_HOUR)
  const waiting = state === 'Failed' ? downSince : t
  return {
    group,
    remote: `${model.vdcName}-${site + 1}`,
    id: uuidOf(key),
    state,
    pendingBytes: (kind: PendingKind): number => {
      const { megabytes, part } = PENDING[kind]
      return group.hasData ? Math.floor((megabytes * noise + backlog * part) * MEGABYTE) : 0
    },
    /** Time of the oldest data that waits, in epoch seconds; undefined: none waits. */
    recoveryPoint: group.hasData ? Math.floor(waiting - LAG_SECONDS * noise) : undefined,
    /** Progress of a bootstrap, in percent. */
    progress: state === 'Bootstrap' ? (100 * (t % SECONDS_PER_DAY)) / SECONDS_PER_DAY : 0,
  }
}

/** The seconds that the oldest data of links waits; 0: nothing is pending. */
export function lagSeconds(links: readonly ReplicationLink[], t: number): number {
  const points = links.flatMap(({ recoveryPoint }) => recoveryPoint ?? [])
  return points.length === 0 ? 0 : t - Math.min(...points)
}

export function groupListText(request: FeedRequest): Iterable<string> {
  const groups = replicationGroups(request.model, request.now).map(groupReader(request))
  return listText(request.profile, 'replicationgroupList', `${ZONE}/replicationgroups`, groups)
}

/** @throws EmulatedError 404 */
export function groupText(request: FeedRequest, id: string): Iterable<string> {
  return objectText(groupReader(request)(findGroup(request, id)))
}

export function linkListText(request: FeedRequest, state: LinkState): Iterable<string> {
  const links = linksOf(request, (link) => link.state === state)
  return listText(request.profile, `rglinks${state}List`, `${ZONE}/rglinks${state}`, links)
}

/** The links of a group. @throws EmulatedError 404 */
export function groupLinksText(request: FeedRequest, id: string): Iterable<string> {
  const { urn, id: own } = findGroup(request, id)
  const links = linksOf(request, ({ group }) => group.urn === urn)
  return listText(request.profile, 'rglinkList', `/dashboard/replicationgroups/${own}/rglinks`, links)
}

/** @throws EmulatedError 404 */
export function linkText(request: FeedRequest, id: string): Iterable<string> {
  const link = findBy(replicationLinks(request.model, request.now), id, (one) => one.id === id)
  return objectText(linkReader(request)(link))
}

function findGroup({ model, now }: FeedRequest, id: string): ReplicationGroup {
  return findBy(replicationGroups(model, now), id, (one) => one.id === id)
}

function linksOf(request: FeedRequest, isMeant: (link: ReplicationLink) => boolean) {
  return replicationLinks(request.model, request.now).filter(isMeant).map(linkReader(request))
}

function groupReader(request: FeedRequest) {
  const all = replicationLinks(request.model, request.now)
  return ({ urn, id, name, zones }: ReplicationGroup) => {
    const self = `/dashboard/replicationgroups/${id}`
    const links = all.filter(({ group }) => group.urn === urn)
    return Object.entries({
      _links: linksTo({ self, datatables: `${self}/datatables`, rglinks: `${self}/rglinks` }),
      apiChange: '1',
      numZones: String(zones),
      name,
      id,
      ...pendingMembers(request, links, keyOf(urn)),
    })
  }
}

function linkReader(request: FeedRequest) {
  return (link: ReplicationLink) =>
    Object.entries({
      _links: linksTo({ self: `/dashboard/rglinks/${link.id}` }),
      apiChange: '1',
      id: link.id,
      rgName: link.group.name,
      zone1Name: request.model.vdcName,
      zone2Name: link.remote,
      rglinkStatus: LINK_STATUS[link.state],
      ...pendingMembers(request, [link], keyOf(link.id)),
      ...(link.state === 'Bootstrap' && { BootstrapProgressPercent: String(link.progress) }),
    })
}

/** Sums over links. There is a recovery point only while something is pending. */
export function pendingMembers(
  { profile, now }: FeedRequest,
  links: readonly ReplicationLink[],
  key: number,
): Members {
  const whole = (kind: PendingKind, salt: number) =>
    notationOf(profile).value(sum(links.map((link) => link.pendingBytes(kind))), mix(key, salt), 'whole')
  const lag = lagSeconds(links, now)
  return {
    chunksRepoPendingReplicationTotalSize: whole('repository', 0),
    chunksJournalPendingReplicationTotalSize: whole('journal', 1),
    chunksPendingXorTotalSize: whole('xor', 2),
    ...(lag > 0 && { replicationRpoTimestamp: String(now - lag) }),
  }
}
