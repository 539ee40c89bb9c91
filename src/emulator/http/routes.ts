import { feedText } from '../feed/feed.ts'
import { parseFeedQuery } from '../feed/query.ts'
import { ApiError } from '../protocol/errors.ts'
import { type Document, flatDocument } from '../protocol/format.ts'
import type { Profile } from '../protocol/profiles.ts'
import type { Pool } from '../world/topology.ts'
import type { World } from '../world/world.ts'
import { ACCOUNTS, ANY_ROLE, DASHBOARD_ROLES, DELETE_ROLES, type Role, type User } from './accounts.ts'
import { poolListJson, varraysDocument, vdcNodesDocument } from './inventory.ts'
import { type Providers, providersJson, providersXml } from './providers.ts'
import type { Sessions } from './sessions.ts'

/** What routes work with. */
export interface System {
  readonly world: World
  readonly profile: Profile
  readonly sessions: Sessions
  readonly providers: Providers
  /** Points of one series that one request may ask for. */
  readonly maxPoints: number
}

/** A request whose path, token and role have been found good. */
export interface Call {
  /** Decoded; empty where the path has none. */
  readonly id: string
  /** Raw, without the question mark. */
  readonly query: string
  readonly user: User
  readonly token: string
  readonly authorization: string | undefined
  readonly address: string
  /** Epoch seconds by the clock of the statistics, which faults may bend. */
  readonly now: number
}

export interface Answer {
  readonly headers?: Readonly<Record<string, string>>
  /** Nothing, a document of the asked format, or JSON text whatever was asked for. */
  readonly body?: Document | { readonly jsonText: Iterable<string>; readonly long: boolean }
}

interface Route {
  readonly method: 'GET' | 'DELETE'
  readonly path: string
  /** `public`: without a token. */
  readonly roles: readonly Role[] | 'public'
  readonly answer: (system: System, call: Call) => Answer
}

/** Everything that is served; each path also with `.json` at its end. */
export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/login', roles: 'public', answer: login },
  { method: 'GET', path: '/logout', roles: ANY_ROLE, answer: logout },
  { method: 'GET', path: '/user/whoami', roles: ANY_ROLE, answer: whoami },
  { method: 'GET', path: '/vdc/admin/authnproviders', roles: ANY_ROLE, answer: listProviders },
  { method: 'DELETE', path: '/vdc/admin/authnproviders/:id', roles: DELETE_ROLES, answer: deleteProvider },
  { method: 'GET', path: '/vdc/data-services/varrays', roles: ANY_ROLE, answer: varrays },
  { method: 'GET', path: '/vdc/nodes', roles: ANY_ROLE, answer: vdcNodes },
  {
    method: 'GET',
    path: '/dashboard/zones/localzone/storagepools',
    roles: DASHBOARD_ROLES,
    answer: listPools,
  },
  { method: 'GET', path: '/dashboard/storagepools/:id/nodes', roles: DASHBOARD_ROLES, answer: listNodes },
]

function login({ sessions }: System, { authorization = '', address }: Call): Answer {
  const encoded = /^basic\s+(\S+)$/i.exec(authorization)?.[1] ?? ''
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  const token = sessions.login(user, password, address)
  return { headers: { 'X-SDS-AUTH-TOKEN': token }, body: flatDocument('loggedIn', { user }) }
}

function logout({ sessions }: System, { user, token, query }: Call): Answer {
  sessions.logout(token, /(^|&)force=true(&|$)/.test(query))
  return { body: flatDocument('loggedOut', { user }) }
}

function whoami(_system: System, { user }: Call): Answer {
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

function listProviders({ providers }: System): Answer {
  const list = providers.list()
  return { body: { json: providersJson(list), xml: providersXml(list) } }
}

function deleteProvider({ providers }: System, { id }: Call): Answer {
  if (!id.startsWith('urn:')) throw new ApiError('notAUrn', `Parameter id is not a valid URI: ${id}`)
  if (!providers.remove(id)) throw notFound(id)
  return {}
}

function varrays({ world }: System): Answer {
  return { body: varraysDocument(world.pools) }
}

function vdcNodes({ world, profile }: System): Answer {
  return { body: vdcNodesDocument(world.pools, profile) }
}

function listPools({ world, profile }: System, { now }: Call): Answer {
  return { body: { jsonText: [JSON.stringify(poolListJson(world, profile, now))], long: false } }
}

function listNodes({ world, profile, maxPoints }: System, { id, query, now }: Call): Answer {
  const pool = findPool(world.pools, id)
  const request = { world, profile, now, query: parseFeedQuery(query, now, maxPoints) }
  return { body: { jsonText: feedText(request, pool), long: request.query.historical } }
}

/** By URN or by bare UUID, as node objects of real systems have it. */
export function findPool(pools: readonly Pool[], id: string): Pool {
  const pool = pools.find((candidate) => candidate.id === id || candidate.uuid === id)
  if (pool === undefined) throw notFound(id)
  return pool
}

function notFound(id: string): ApiError {
  return new ApiError('notFound', `Unable to find entity specified in URL with the given id ${id}`)
}
