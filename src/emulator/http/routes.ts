import { QUERY_PATH } from '../../query_catalogue.ts'
import { allNodesText, feedText, nodeText } from '../feed/node.ts'
import { type FeedRequest, parseFeedQuery } from '../feed/query.ts'
import { EmulatedError, type ErrorName } from '../protocol/errors.ts'
import { type Document, ZONE } from '../protocol/format.ts'
import { ROLES, type Role } from '../protocol/profiles.ts'
import { answerQuery } from '../query/evaluate.ts'
import { capacity, license, ping, vdcNodes } from '../resources/inventory.ts'
import {
  bucketList,
  bucketQuota,
  bucketUsage,
  bucketUsages,
  namespaceList,
  namespaceQuota,
  namespaceUsage,
  namespaceUsages,
} from '../resources/namespaces.ts'
import { groupLinksText, groupListText, groupText, linkListText, linkText } from '../resources/replication.ts'
import { type EmulatedSystem, findPool, type ResourceRequest } from '../resources/request.ts'
import { alertList, poolListText, poolText, zoneText } from '../resources/zone.ts'
import type { Providers } from './providers.ts'
import { ACCOUNTS, checkRole, type Sessions, type User } from './sessions.ts'

/** With the parts of the system that requests change. */
interface SystemRequest extends ResourceRequest {
  readonly providers: Providers
  readonly sessions: Sessions
  readonly user: User
  readonly token: string
}
export type AuthorizedRequest = Omit<SystemRequest, keyof EmulatedSystem | 'providers'>

interface ResponseHead {
  /** Default: 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

interface TextBody {
  readonly text: Iterable<string>
  /** Whether to send it with pauses for other requests. */
  readonly long: boolean
  readonly mediaType?: string
}

/** No body, a document in the requested format, or text of the given type in any case, by default JSON. */
export type RouteResponse = ResponseHead | (ResponseHead & (Document | TextBody))

type Handler<Request = SystemRequest> = (request: Request) => RouteResponse

interface RouteRow<Request = SystemRequest> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parts in braces are parameters. Each path is also served with the suffix `.json`. */
  readonly path: string
  /** Roles that may call it; `public`: without a token. */
  readonly roles: readonly Role[] | 'public'
  /** The error for another role; default: `forbidden`. */
  readonly refusal?: ErrorName
  readonly handle: Handler<Request>
}

/** Operations under /dashboard, whose parameters are those of the nodes of a pool. */
function feed(textOf: (feed: FeedRequest, id: string) => Iterable<string>): Handler {
  return (request) => {
    const { context, now, maxPoints, settings, parameters } = request
    const query = parseFeedQuery(context.querystring, now, maxPoints, settings)
    return { text: textOf({ ...request, query }, parameters[0] ?? ''), long: query.historical }
  }
}

/** Real systems. The API document shows no roles for deletions. */
const DELETE_ROLES: readonly Role[] = ['SECURITY_ADMIN']
const MONITOR: readonly Role[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']
const monitor = (path: string, handle: Handler, method: RouteRow['method'] = 'GET'): RouteRow => {
  return { method, path, roles: MONITOR, handle }
}
const all = (path: string, handle: Handler): RouteRow => ({ method: 'GET', path, roles: ROLES, handle })

/** The operations that need nothing but the sessions. */
export const SESSION_ROUTES = {
  login: { method: 'GET', path: '/login', roles: 'public', handle: login },
  logout: { method: 'GET', path: '/logout', roles: ROLES, handle: logout },
  whoami: { method: 'GET', path: '/user/whoami', roles: ROLES, handle: whoami },
} as const satisfies Record<string, RouteRow<AuthorizedRequest>>

const BILLING = '/object/billing'
const PROVIDERS = '/vdc/admin/authnproviders'

/** The operations of the API, by the names in the request log and in the targets of faults. */
const ROUTES = {
  ...SESSION_ROUTES,
  system: monitor(ZONE, feed(zoneText)),
  pools: monitor(`${ZONE}/storagepools`, feed(poolListText)),
  replication_groups: monitor(`${ZONE}/replicationgroups`, feed(groupListText)),
  failed_links: monitor(
    `${ZONE}/rglinksFailed`,
    feed((request) => linkListText(request, 'Failed')),
  ),
  bootstrap_links: monitor(
    `${ZONE}/rglinksBootstrap`,
    feed((request) => linkListText(request, 'Bootstrap')),
  ),
  varrays: all('/vdc/data-services/varrays', varrays),
  vdc_nodes: all('/vdc/nodes', vdcNodes),
  pool: monitor('/dashboard/storagepools/{id}', feed(poolText)),
  system_nodes: monitor(`${ZONE}/nodes`, feed(allNodesText)),
  replication_group: monitor('/dashboard/replicationgroups/{id}', feed(groupText)),
  group_links: monitor('/dashboard/replicationgroups/{id}/rglinks', feed(groupLinksText)),
  replication_link: monitor('/dashboard/rglinks/{id}', feed(linkText)),
  alerts: all('/vdc/alerts', alertList),
  node: monitor('/dashboard/nodes/{id}', feed(nodeText)),
  nodes: monitor(
    '/dashboard/storagepools/{id}/nodes',
    feed((request, id) => feedText(request, findPool(request.model, id))),
  ),
  query: {
    method: 'POST',
    path: QUERY_PATH,
    roles: MONITOR,
    refusal: 'noPermission',
    handle: answerQuery,
  },
  namespaces: monitor('/object/namespaces', namespaceList),
  quota: monitor('/object/namespaces/namespace/{namespace}/quota', namespaceQuota),
  usage: monitor(`${BILLING}/namespace/info`, namespaceUsages, 'POST'),
  namespace_usage: monitor(`${BILLING}/namespace/{namespace}/info`, namespaceUsage),
  one_bucket_usage: monitor(`${BILLING}/buckets/{namespace}/{bucket}/info`, bucketUsage),
  bucket_quota: monitor('/object/bucket/{bucket}/quota', bucketQuota),
  capacity: monitor('/object/capacity', capacity),
  buckets: monitor('/object/bucket', bucketList),
  bucket_usage: monitor(`${BILLING}/buckets/{namespace}/info`, bucketUsages, 'POST'),
  license: monitor('/license', license),
  dataNode: { method: 'GET', path: '/', roles: 'public', handle: ping },
  providers: all(PROVIDERS, ({ providers }) => providers.list()),
  provider: all(`${PROVIDERS}/{id}`, ({ providers, parameters: [id = ''] }) => providers.record(id)),
  delete: { method: 'DELETE', path: `${PROVIDERS}/{id}`, roles: ROLES, handle: deleteProvider },
} as const satisfies Record<string, RouteRow>

export type RoutedOperation = keyof typeof ROUTES
const ALL = Object.entries<RouteRow>(ROUTES) as [RoutedOperation, RouteRow][]
export type EmulatedOperation = RoutedOperation | 'history' | 'forecast' | 'other'

export const FEED_OPERATIONS: readonly EmulatedOperation[] = ['nodes', 'history', 'forecast']

export const OPERATION_HELP = {
  ...Object.fromEntries(ALL.map(([name, { method, path }]) => [name, `${method} ${path}`])),
  nodes: `GET ${ROUTES.nodes.path}, with current values`,
  history: 'as nodes, with dataType=historical only',
  forecast: 'as nodes, with category=capacityForecast',
  other: 'everything else',
} as Readonly<Record<EmulatedOperation, string>>

const PATTERNS = ALL.map(([operation, row]) => ({
  operation,
  row,
  // A path with `.json` has no parameter that includes the suffix.
  pattern: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '([^/]+?)')}(?:\\.json)?/?$`),
}))

export type Route = ReturnType<typeof routesOf>[number]

/** The operations at a path, with the values of the parameters as they are in the path. */
export function routesOf(path: string) {
  return PATTERNS.flatMap(({ operation, row, pattern }) => {
    const match = pattern.exec(path)
    return match === null ? [] : [{ operation, row, parameters: match.slice(1) }]
  })
}

export function operationOf(method: string, path: string, query: string): EmulatedOperation {
  const operation = routesOf(path).find(({ row }) => row.method === method)?.operation ?? 'other'
  if (operation !== 'nodes') return operation
  if (/(^|&)category=capacityForecast(&|$)/.test(query)) return 'forecast'
  const types = [...query.matchAll(/(?:^|&)dataType=([^&]*)/g)].map(([, type]) => type)
  return types.length > 0 && types.every((type) => type === 'historical') ? 'history' : 'nodes'
}

function login({ sessions, context }: AuthorizedRequest): RouteResponse {
  const encoded = /^basic\s+(\S+)$/i.exec(context.get('authorization'))?.[1] ?? ''
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const token = sessions.login(user, password)
  return { headers: { 'X-SDS-AUTH-TOKEN': token }, root: 'loggedIn', members: { user } }
}

function logout({ sessions, user, token }: AuthorizedRequest): RouteResponse {
  sessions.logout(token)
  return { root: 'loggedOut', members: { user } }
}

function whoami({ user }: AuthorizedRequest): RouteResponse {
  const { role } = ACCOUNTS[user]
  const members = { common_name: user, distinguished_name: '', namespace: '', roles: [role] }
  const texts = Object.entries({ ...members, roles: [{ name: 'role', content: role }] })
  return { root: 'user', members, xml: texts.map(([name, content]) => ({ name, content })) }
}

/** `GET /vdc/data-services/varrays`: the second list of pools. */
function varrays({ model }: SystemRequest): RouteResponse {
  const pools = model.pools.map(({ id, name }) => {
    return { id, name, isProtected: false, isColdStorageEnabled: 'false' }
  })
  return { root: 'varrays', members: { varray: pools } }
}

function deleteProvider({ providers, profile, parameters: [id = ''], user }: SystemRequest) {
  checkRole(user, profile === 'documented' ? ROLES : DELETE_ROLES)
  if (!id.startsWith('urn:')) throw new EmulatedError('notAUrn', `Parameter id is not a valid URI: ${id}`)
  providers.remove(id)
  return {}
}
