import { feedText } from '../feed/feed.ts'
import type { HistorySettings } from '../feed/history_settings.ts'
import type { FeedRequest } from '../feed/node.ts'
import { poolListText } from '../feed/pool_list.ts'
import { defaultRange, type FeedQuery, parseFeedQuery } from '../feed/query.ts'
import type { StorageModel } from '../model/model.ts'
import type { Pool } from '../model/topology.ts'
import { ApiError, type ApiErrorName } from '../protocol/errors.ts'
import { type Document, flatDocument } from '../protocol/format.ts'
import type { Profile } from '../protocol/profiles.ts'
import { answerQuery } from '../query/endpoint.ts'
import type { Counters } from '../query/points/counters.ts'
import type { QuerySettings } from '../query/settings.ts'
import { ACCOUNTS, ANY_ROLE, DASHBOARD_ROLES, DELETE_ROLES, type Role, type User } from './accounts.ts'
import { varraysDocument, vdcNodesDocument } from './inventory.ts'
import { type Providers, providersJson, providersXml } from './providers.ts'
import type { Sessions } from './sessions.ts'

/** The emulated storage system, as routes use it. */
export interface System {
  readonly model: StorageModel
  readonly profile: Profile
  readonly sessions: Sessions
  readonly providers: Providers
  /** Maximum number of points of one series in one request. */
  readonly maxPoints: number
  readonly counters: Counters
  /** Queries may contain `=~` and `!~`. */
}

/** A request with a valid path, token and role. */
export interface AuthorizedRequest {
  /** Decoded; empty if the path has no id. */
  readonly id: string
  readonly path: string
  /** Raw, without the question mark. */
  readonly query: string
  readonly user: User
  readonly token: string
  readonly authorization: string | undefined
  readonly address: string
  /** Time of the samples in epoch seconds, which faults can change. */
  readonly now: number
  readonly querySettings: QuerySettings
  readonly historySettings: HistorySettings
  /** Empty except for POST. */
  readonly body: string
  readonly contentType: string
  /** The header `Accept`, and the best of some media types by it. */
  readonly accept: string
  readonly accepts: (...types: string[]) => string | false
}

export interface RouteResponse {
  readonly headers?: Readonly<Record<string, string>>
  /** Absent, a document in the requested format, or text of the given type in any case, by default JSON. */
  readonly body?: Document | TextBody
}

export interface TextBody {
  readonly text: Iterable<string>
  /** Whether to send it with pauses for other requests. */
  readonly long: boolean
  readonly mediaType?: string
}

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** `public`: without a token. */
  readonly roles: readonly Role[] | 'public'
  /** The error for another role; default: `forbidden`. */
  readonly refusal?: ApiErrorName
  readonly handle: (system: System, request: AuthorizedRequest) => RouteResponse
}

/** All resources; each path is also served with the suffix `.json`. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/login', roles: 'public', handle: login },
  { method: 'GET', path: '/logout', roles: ANY_ROLE, handle: logout },
  { method: 'GET', path: '/user/whoami', roles: ANY_ROLE, handle: whoami },
  { method: 'GET', path: '/vdc/admin/authnproviders', roles: ANY_ROLE, handle: listProviders },
  { method: 'DELETE', path: '/vdc/admin/authnproviders/:id', roles: DELETE_ROLES, handle: deleteProvider },
  { method: 'GET', path: '/vdc/data-services/varrays', roles: ANY_ROLE, handle: varrays },
  { method: 'GET', path: '/vdc/nodes', roles: ANY_ROLE, handle: vdcNodes },
  {
    method: 'GET',
    path: '/dashboard/zones/localzone/storagepools',
    roles: DASHBOARD_ROLES,
    handle: listPools,
  },
  { method: 'GET', path: '/dashboard/storagepools/:id/nodes', roles: DASHBOARD_ROLES, handle: listNodes },
  {
    method: 'POST',
    path: '/flux/api/external/v2/query',
    roles: DASHBOARD_ROLES,
    refusal: 'noPermission',
    handle: query,
  },
]

function login({ sessions }: System, { authorization = '', address }: AuthorizedRequest): RouteResponse {
  const encoded = /^basic\s+(\S+)$/i.exec(authorization)?.[1] ?? ''
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const token = sessions.login(user, password, address)
  return { headers: { 'X-SDS-AUTH-TOKEN': token }, body: flatDocument('loggedIn', { user }) }
}

function logout({ sessions }: System, { user, token, query }: AuthorizedRequest): RouteResponse {
  sessions.logout(token, /(^|&)force=true(&|$)/.test(query))
  return { body: flatDocument('loggedOut', { user }) }
}

function whoami(_system: System, { user }: AuthorizedRequest): RouteResponse {
  const members = { common_name: user, distinguished_name: '', namespace: '' }
  const { role } = ACCOUNTS[user]
  const { xml } = flatDocument('user', members)
  const roles = { name: 'roles', content: [{ name: 'role', content: role }] }
  return {
    body: {
      json: { ...members, roles: [role] },
      xml: { ...xml, content: [...(typeof xml.content === 'object' ? xml.content : []), roles] },
    },
  }
}

function listProviders({ providers }: System): RouteResponse {
  const list = providers.list()
  return { body: { json: providersJson(list), xml: providersXml(list) } }
}

function deleteProvider({ providers }: System, { id }: AuthorizedRequest): RouteResponse {
  if (!id.startsWith('urn:')) throw new ApiError('notAUrn', `Parameter id is not a valid URI: ${id}`)
  if (!providers.remove(id)) throw notFound(id)
  return {}
}

function varrays({ model }: System): RouteResponse {
  return { body: varraysDocument(model.pools) }
}

function vdcNodes({ model, profile }: System): RouteResponse {
  return { body: vdcNodesDocument(model.pools, profile) }
}

function listPools(system: System, request: AuthorizedRequest): RouteResponse {
  const feed = feedRequest(system, request)
  return { body: { text: poolListText(feed), long: feed.query.historical } }
}

function listNodes(system: System, request: AuthorizedRequest): RouteResponse {
  const pool = findPool(system.model.pools, request.id)
  const feed = feedRequest(system, request)
  return { body: { text: feedText(feed, pool), long: feed.query.historical } }
}

function feedRequest(
  { model, profile, maxPoints }: System,
  { query, now, historySettings: history }: AuthorizedRequest,
): FeedRequest {
  const asked = parseFeedQuery(query, now, maxPoints)
  const used: FeedQuery = history.ignoresRange ? { ...asked, range: defaultRange(now) } : asked
  return { model, profile, now, history, query: used }
}

function query(system: System, request: AuthorizedRequest): RouteResponse {
  const { maxPoints } = system
  const settings = request.querySettings
  return { body: answerQuery({ ...request, ...settings, source: system, maxPoints }) }
}

/** Finds a pool by its URN, or by its bare UUID as in node objects of real systems. */
export function findPool(pools: readonly Pool[], id: string): Pool {
  const pool = pools.find((candidate) => candidate.id === id || candidate.uuid === id)
  if (pool === undefined) throw notFound(id)
  return pool
}

function notFound(id: string): ApiError {
  return new ApiError('notFound', `Unable to find entity specified in URL with the given id ${id}`)
}
