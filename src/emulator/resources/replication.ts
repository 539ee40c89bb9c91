import { listText, type Member, objectText } from '../feed/list.ts'
import type { FeedRequest } from '../feed/query.ts'
import { notationOf } from '../feed/series.ts'
import { keyOf, mix } from '../model/random.ts'
import {
  type ReplicationGroup,
  type ReplicationLink,
  replicationGroups,
  replicationLinks,
  siteName,
} from '../model/system/sites.ts'
import { findBy } from '../protocol/errors.ts'

const ZONE = '/dashboard/zones/localzone'

export function groupListText(request: FeedRequest): Iterable<string> {
  const { model, now } = request
  const groups = replicationGroups(model, now).map((group) => groupMembers(request, group))
  return listText(request.profile, 'replicationgroupList', `${ZONE}/replicationgroups`, groups)
}

/** @throws EmulatedError 404 */
export function groupText(request: FeedRequest, id: string): Iterable<string> {
  return objectText(groupMembers(request, findGroup(request, id)))
}

/** @throws EmulatedError 404 */
export function groupLinksText(request: FeedRequest, id: string): Iterable<string> {
  const group = findGroup(request, id)
  const links = linksOf(request, ({ group: { urn } }) => urn === group.urn)
  return listText(
    request.profile,
    'rglinkList',
    `/dashboard/replicationgroups/${groupId(group)}/rglinks`,
    links,
  )
}

/** @throws EmulatedError 404 */
export function linkText(request: FeedRequest, id: string): Iterable<string> {
  const link = findBy(replicationLinks(request.model, request.now), id, (one) => one.id === id)
  return objectText(linkMembers(request, link))
}

export function linkListText(request: FeedRequest, state: 'Failed' | 'Bootstrap'): Iterable<string> {
  const links = linksOf(request, (link) => link.state === state)
  return listText(request.profile, `rglinks${state}List`, `${ZONE}/rglinks${state}`, links)
}

function linksOf(request: FeedRequest, isMeant: (link: ReplicationLink) => boolean) {
  const links = replicationLinks(request.model, request.now).filter(isMeant)
  return links.map((link) => linkMembers(request, link))
}

function findGroup({ model, now }: FeedRequest, id: string): ReplicationGroup {
  return findBy(replicationGroups(model, now), id, (one) => groupId(one) === id)
}

/** Documents show ids with a blank after the colon, answers of real systems do not: here one group has it. */
function groupId({ urn, index }: ReplicationGroup): string {
  return `Replication_Group:${index === 2 ? ' ' : ''}${urn}`
}

function* groupMembers(request: FeedRequest, group: ReplicationGroup): Generator<Member> {
  const id = groupId(group)
  const self = `/dashboard/replicationgroups/${id}`
  yield [
    '_links',
    {
      self: { href: self },
      datatables: { href: `${self}/datatables` },
      rglinks: { href: `${self}/rglinks` },
    },
  ]
  yield* Object.entries({ apiChange: '1', numZones: String(group.zones), name: group.name, id })
  yield* pendingMembers(
    request,
    replicationLinks(request.model, request.now).filter((link) => link.group.urn === group.urn),
    keyOf(group.urn),
  )
}

function* linkMembers(request: FeedRequest, link: ReplicationLink): Generator<Member> {
  const { group, remote, state, progress, toCopy } = link
  const self = `/dashboard/rglinks/${link.id}`
  yield ['_links', { self: { href: self } }]
  const status = { Good: 'Good', Failed: 'Temp Unavailable', Bootstrap: 'Bootstrapping' }[state]
  const zones = { zone1Name: siteName(request.model, 0), zone2Name: remote }
  yield* Object.entries({ apiChange: '1', id: link.id, rgName: group.name, ...zones, rglinkStatus: status })
  yield* pendingMembers(request, [link], keyOf(link.id))
  if (state === 'Failed') yield* Object.entries({ FailoverState: 'None', FailoverProgressPercent: '0' })
  if (state !== 'Bootstrap') return
  yield* Object.entries({ BootstrapState: 'ReplicateRepo', BootstrapProgressPercent: String(progress) })
  const parts = {
    Repo: Math.floor(toCopy * 0.9),
    Journal: Math.floor(toCopy * 0.02),
    BTree: Math.floor(toCopy * 0.08),
  }
  for (const [kind, bytes] of Object.entries(parts))
    yield [`chunks${kind}PendingBootstrapReplicationTotalSize`, String(bytes)]
}

/** Sums over links. There is a recovery point only while something is pending. */
export function* pendingMembers(
  { profile, query }: FeedRequest,
  links: readonly ReplicationLink[],
  key: number,
): Generator<Member> {
  const sum = (kind: keyof ReplicationLink['pending']) =>
    links.reduce((total, { pending }) => total + pending[kind], 0)
  const whole = (value: number, salt: number) => notationOf(profile).value(value, mix(key, salt), 'whole')
  yield ['chunksRepoPendingReplicationTotalSize', whole(sum('repository'), 0)]
  yield ['chunksJournalPendingReplicationTotalSize', whole(sum('journal'), 1)]
  yield ['chunksPendingXorTotalSize', whole(sum('xor'), 2)]
  if (query.current)
    yield* Object.entries({ replicationIngressTrafficCurrent: [], replicationEgressTrafficCurrent: [] })
  const points = links.flatMap(({ recoveryPoint }) => recoveryPoint ?? [])
  if (points.length > 0) yield ['replicationRpoTimestamp', String(Math.min(...points))]
}
