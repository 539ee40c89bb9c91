import { objectText } from '../feed/list.ts'
import { allNodesText, feedText, nodeText } from '../feed/node.ts'
import { defaultRange, type FeedRequest, parseFeedQuery } from '../feed/query.ts'
import type { StorageModel } from '../model/model.ts'
import { EmulatedError } from '../protocol/errors.ts'
import type { Document } from '../protocol/format.ts'
import type { Role, RoutedOperation } from '../protocol/operations.ts'
import { PROFILES, type Profile } from '../protocol/profiles.ts'
import { answerQuery } from '../query/endpoint.ts'
import type { Counters } from '../query/series.ts'
import { alertList } from '../resources/alerts.ts'
import { bucketUsageDocument, bucketUsages, namespaceUsage, namespaceUsages } from '../resources/billing.ts'
import { capacity, DOCUMENTS, vdcNodes } from '../resources/inventory.ts'
import { bucketList, bucketQuota, namespaceList, namespaceQuota } from '../resources/namespaces.ts'
import { groupLinksText, groupListText, groupText, linkListText, linkText } from '../resources/replication.ts'
import { findPool, type ResourceRequest } from '../resources/request.ts'
import { poolListText, poolMembers, zoneText } from '../resources/zone.ts'
import type { Providers } from './providers.ts'
import { ACCOUNTS, checkRole, type Sessions, type User } from './sessions.ts'

export interface System {
  readonly model: StorageModel
  readonly profile: Profile
  readonly sessions: Sessions
  readonly providers: Providers
  /** Default: the roles of the profile. */
  readonly deleteRole?: Role
  /** Maximum number of points of one series in one request. */
  readonly maxPoints: number
  readonly counters: Counters
}

/** A request with a valid path, token and role. */
export interface AuthorizedRequest extends Omit<ResourceRequest, 'model' | 'profile'> {
  readonly user: User
  readonly token: string
}

export interface RouteResponse {
  /** Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Absent, a document in the requested format, or text of the given type in any case, by default JSON. */
  readonly body?: Document | TextBody
}

interface TextBody {
  readonly text: Iterable<string>
  /** Whether to send it with pauses for other requests. */
  readonly long: boolean
  readonly mediaType?: string
}

type Handler<Needed = System> = (system: Needed, request: AuthorizedRequest) => RouteResponse

/** Operations of the resources, which need no state of the requests before. */
function resource(read: (request: ResourceRequest) => Document): Handler {
  return (system, request) => ({ body: read({ ...system, ...request }) })
}

/** Operations under /dashboard, whose parameters are those of the nodes of a pool. */
function feed(textOf: (feed: FeedRequest, id: string) => Iterable<string>): Handler {
  return ({ model, profile, maxPoints }, { context, parameters: [id = ''], now, settings }) => {
    const requested = parseFeedQuery(context.querystring, now, maxPoints)
    const isFixed = settings['fixed-history'] !== undefined
    const query = isFixed ? { ...requested, range: defaultRange(now) } : requested
    const text = textOf({ model, profile, now, settings, query }, id)
    return { body: { text, long: query.historical } }
  }
}

/** The operations that need nothing but the sessions. */
export const SESSION_HANDLERS = {
  login,
  logout,
  whoami,
} as const satisfies Partial<Record<RoutedOperation, Handler<Pick<System, 'sessions'>>>>

export const HANDLERS: Readonly<Partial<Record<RoutedOperation, Handler>>> = {
  ...Object.fromEntries(Object.entries(DOCUMENTS).map(([kind, read]) => [kind, resource(read)])),
  ...SESSION_HANDLERS,
  system: feed(zoneText),
  pools: feed(poolListText),
  pool: feed((request, id) => objectText(poolMembers(request, findPool(request.model, id)))),
  nodes: feed((request, id) => feedText(request, findPool(request.model, id))),
  system_nodes: feed(allNodesText),
  node: feed(nodeText),
  replication_groups: feed(groupListText),
  replication_group: feed(groupText),
  group_links: feed(groupLinksText),
  replication_link: feed(linkText),
  failed_links: feed((request) => linkListText(request, 'Failed')),
  bootstrap_links: feed((request) => linkListText(request, 'Bootstrap')),
  varrays,
  vdc_nodes: resource(vdcNodes),
  alerts: resource(alertList),
  capacity: resource(capacity),
  pool_capacity: resource(capacity),
  namespaces: resource(namespaceList),
  quota: resource(namespaceQuota),
  usage: resource(namespaceUsages),
  namespace_usage: resource(namespaceUsage),
  buckets: resource(bucketList),
  bucket_quota: resource(bucketQuota),
  bucket_usage: resource(bucketUsages),
  one_bucket_usage: resource(bucketUsageDocument),
  query: (system, request) => ({ body: answerQuery({ ...system, ...request }) }),
  providers: ({ providers }) => ({ body: providers.list() }),
  provider: ({ providers }, { parameters: [id = ''] }) => ({ body: providers.record(id) }),
  delete: deleteProvider,
}

function login({ sessions }: Pick<System, 'sessions'>, { context }: AuthorizedRequest): RouteResponse {
  const encoded = /^basic\s+(\S+)$/i.exec(context.get('authorization'))?.[1] ?? ''
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const token = sessions.login(user, password, context.socket.remoteAddress ?? '')
  return { headers: { 'X-SDS-AUTH-TOKEN': token }, body: { root: 'loggedIn', members: { user } } }
}

function logout(
  { sessions }: Pick<System, 'sessions'>,
  { user, token, query }: AuthorizedRequest,
): RouteResponse {
  sessions.logout(token, query.get('force') === 'true')
  return { body: { root: 'loggedOut', members: { user } } }
}

function whoami(_system: Pick<System, 'sessions'>, { user }: AuthorizedRequest): RouteResponse {
  const { role } = ACCOUNTS[user]
  const members = { common_name: user, distinguished_name: '', namespace: '', roles: [role] }
  const texts = Object.entries({ ...members, roles: [{ name: 'role', content: role }] })
  return { body: { root: 'user', members, xml: texts.map(([name, content]) => ({ name, content })) } }
}

/** `GET /vdc/data-services/varrays`: the second list of pools. */
function varrays({ model }: System): RouteResponse {
  const pools = model.pools.map(({ id, name }) => {
    return { id, name, isProtected: false, isColdStorageEnabled: 'false' }
  })
  return { body: { root: 'varrays', members: { varray: pools } } }
}

function deleteProvider(
  { providers, deleteRole, profile }: System,
  { parameters: [id = ''], user }: AuthorizedRequest,
): RouteResponse {
  checkRole(user, deleteRole === undefined ? PROFILES[profile].deleteRoles : [deleteRole])
  if (!id.startsWith('urn:')) throw new EmulatedError('notAUrn', `Parameter id is not a valid URI: ${id}`)
  providers.remove(id)
  return {}
}
