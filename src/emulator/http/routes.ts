import type { Context } from 'koa'
import { feedText } from '../feed/node.ts'
import { defaultRange, type FeedRequest, parseFeedQuery } from '../feed/query.ts'
import type { StorageModel } from '../model/model.ts'
import type { Pool } from '../model/topology.ts'
import { ApiError, entityNotFound } from '../protocol/errors.ts'
import type { Document } from '../protocol/format.ts'
import type { RoutedOperation } from '../protocol/operations.ts'
import type { Profile, Settings } from '../protocol/profiles.ts'
import { answerQuery } from '../query/endpoint.ts'
import type { Counters } from '../query/points/counters.ts'
import { bucketUsages, namespaceUsages } from '../resources/billing.ts'
import { license, vdcNodes } from '../resources/inventory.ts'
import { bucketList, namespaceList, namespaceQuota } from '../resources/namespaces.ts'
import { groupListText, linkListText } from '../resources/replication.ts'
import type { ResourceRequest } from '../resources/request.ts'
import { poolListText, zoneText } from '../resources/zone.ts'
import type { Providers } from './providers.ts'
import { ACCOUNTS, type Sessions, type User } from './sessions.ts'

export interface System {
  readonly model: StorageModel
  readonly profile: Profile
  readonly sessions: Sessions
  readonly providers: Providers
  /** Maximum number of points of one series in one request. */
  readonly maxPoints: number
  readonly counters: Counters
}

/** A request with a valid path, token and role. */
export interface AuthorizedRequest {
  readonly context: Context
  /** The parameters of the path, decoded. */
  readonly parameters: readonly string[]
  readonly user: User
  readonly token: string
  /** Time of the samples in epoch seconds, which faults can change. */
  readonly now: number
  readonly settings: Settings
  /** Empty except for POST. */
  readonly body: string
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
  return ({ model, profile }, { context, parameters, body, now, settings }) => {
    const { path, querystring } = context
    const query = new URLSearchParams(querystring)
    const contentType = context.get('content-type')
    return { body: read({ model, profile, settings, now, path, query, parameters, body, contentType }) }
  }
}

/** Operations under /dashboard, whose parameters are those of the nodes feed. */
function feed(
  textOf: (feed: FeedRequest, system: System, request: AuthorizedRequest) => Iterable<string>,
): Handler {
  return (system, request) => {
    const { model, profile, maxPoints } = system
    const { context, now, settings } = request
    const requested = parseFeedQuery(context.querystring, now, maxPoints)
    const query = settings.ignoresRange ? { ...requested, range: defaultRange(now) } : requested
    const text = textOf({ model, profile, now, settings, query }, system, request)
    return { body: { text, long: query.historical } }
  }
}

/** The operations that need nothing but the sessions. */
export const SESSION_HANDLERS = {
  login,
  logout,
  whoami,
} as const satisfies Partial<Record<RoutedOperation, Handler<Pick<System, 'sessions'>>>>

export const HANDLERS: Readonly<Record<RoutedOperation, Handler>> = {
  ...SESSION_HANDLERS,
  system: feed(zoneText),
  pools: feed(poolListText),
  nodes: feed((request, system, { parameters }) => feedText(request, poolOf(system, parameters[0]))),
  replication_groups: feed(groupListText),
  failed_links: feed((request) => linkListText(request, 'Failed')),
  bootstrap_links: feed((request) => linkListText(request, 'Bootstrap')),
  varrays,
  vdc_nodes: resource(vdcNodes),
  namespaces: resource(namespaceList),
  quota: resource(namespaceQuota),
  usage: resource(namespaceUsages),
  buckets: resource(bucketList),
  bucket_usage: resource(bucketUsages),
  license: resource(license),
  query: (system, { context, body, now, settings }) => {
    return { body: answerQuery({ ...system, ...settings, context, body, now }) }
  },
  providers: ({ providers }) => ({ body: providers.document() }),
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
  { user, token, context }: AuthorizedRequest,
): RouteResponse {
  sessions.logout(token, /(^|&)force=true(&|$)/.test(context.querystring))
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

/** Finds the pool by its URN, or by its bare UUID as in node objects of real systems. */
function poolOf({ model }: System, id = ''): Pool {
  const pool = model.pools.find((candidate) => candidate.id === id || candidate.uuid === id)
  if (pool === undefined) throw entityNotFound(id)
  return pool
}

function deleteProvider({ providers }: System, { parameters: [id = ''] }: AuthorizedRequest): RouteResponse {
  if (!id.startsWith('urn:')) throw new ApiError('notAUrn', `Parameter id is not a valid URI: ${id}`)
  if (!providers.remove(id)) throw entityNotFound(id)
  return {}
}
