import { asList, isObject, member, readText } from '../parse/json.ts'
import { parseBody } from '../parse/xml.ts'

/** The resource with the user of a token. Source: real systems; the API document does not have it. */
export const WHOAMI_PATH = '/user/whoami'

/** A user with {@link MAX_ROLES} roles takes a few kilobytes. */
const MAX_CHARACTERS = 65_536
const MAX_NAME_CHARACTERS = 256
const MAX_ROLES = 50

/** The user of a token. */
export interface Account {
  /** Undefined if it cannot be read. */
  readonly user: string | undefined
  /** Undefined if they cannot be read. */
  readonly roles: readonly string[] | undefined
}

const READING_ROLES: readonly string[] = ['SYSTEM_MONITOR', 'SYSTEM_ADMIN']

/** API document: the roles that may read the feed. */
export function mayRead({ roles = [] }: Account): boolean {
  return roles.some((role) => READING_ROLES.includes(role))
}

/** Reads a whoami response. The values are shown only: nothing is read of one that is too long or cannot be parsed. */
export function decodeAccount(text: string): Account {
  const body = text.length > MAX_CHARACTERS ? undefined : bodyOf(text)
  const root = isObject(body) ? (member(body, 'user') ?? body) : undefined
  const account = isObject(root) ? root : {}
  const roles = member(account, 'roles')
  const list = asList(isObject(roles) ? member(roles, 'role') : roles).slice(0, MAX_ROLES)
  const named = (text: string | undefined) => text?.slice(0, MAX_NAME_CHARACTERS)
  return {
    user: named(readText(member(account, 'common_name'))),
    roles: roles === undefined ? undefined : list.flatMap((role) => named(readText(role)) ?? []),
  }
}

function bodyOf(text: string): unknown {
  try {
    return parseBody(text)
  } catch {
    return undefined
  }
}
