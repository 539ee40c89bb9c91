import { member, parseObject, readText } from '../parse/json.ts'

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

/** Reads a whoami response in JSON or XML. Nothing is read of one that is too long. */
export function decodeAccount(text: string): Account {
  if (text.length > MAX_CHARACTERS) return { user: undefined, roles: undefined }
  const { user, roles } = text.trimStart().startsWith('<') ? xmlAccount(text) : jsonAccount(text)
  return {
    user: user?.slice(0, MAX_NAME_CHARACTERS),
    roles: roles?.slice(0, MAX_ROLES).map((role) => role.slice(0, MAX_NAME_CHARACTERS)),
  }
}

function jsonAccount(text: string): Account {
  const body = parseObject(text)
  if (body === undefined) return { user: undefined, roles: undefined }
  const roles = member(body, 'roles')
  return {
    user: readText(member(body, 'common_name')),
    roles: Array.isArray(roles) ? roles.flatMap((role) => readText(role) ?? []) : undefined,
  }
}

/** Patterns are sufficient: the values are shown only, so a failure must not refuse the request. */
function xmlAccount(text: string): Account {
  const roles = [...text.matchAll(/<role>([^<]+)<\/role>/g)].flatMap(([, role]) => readText(role) ?? [])
  return {
    user: readText(/<common_name>([^<]+)<\/common_name>/.exec(text)?.[1]),
    roles: roles.length > 0 || /<roles\s*\/?>/.test(text) ? roles : undefined,
  }
}
