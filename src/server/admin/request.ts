import type { Context } from 'koa'
import type { AdminClient } from '../../api/admin_client.ts'
import { TOKEN_HEADER } from '../../api/http/token_header.ts'
import { Secret, tokenFromText } from '../../config/values/secret.ts'
import { rawPath } from '../auth/request_check.ts'
import type { DocumentFormat } from './documents.ts'
import { refused } from './errors.ts'
import type { AdminSystems } from './systems.ts'

/** Requests of the page's own endpoints, which speak JSON alone. */
const JSON_PATHS = /^\/systems(\/[^/]+\/(login|logout))?$/

/**
 * The format of an answer, errors included: JSON for a path that ends in `.json`, else XML, which is the default, or
 * what the caller accepts of the two.
 */
export function formatOf(context: Context): DocumentFormat {
  const path = rawPath(context.req)
  if (path.endsWith('.json') || JSON_PATHS.test(path)) return 'json'
  return context.accepts('application/xml', 'text/xml', 'application/json') === 'application/json'
    ? 'json'
    : 'xml'
}

/** @throws {Refused} 406 when the caller accepts nothing that the path can be answered with */
export function checkAcceptable(context: Context): void {
  const offered = formatOf(context) === 'json' ? ['application/json'] : ['application/xml', 'text/xml']
  if (context.accepts(offered) === false) {
    throw refused(
      'notAcceptable',
      'The list is served as application/xml, and as application/json under .json',
    )
  }
}

/** The documents know no parameters: one that is sent would be a wish that is not heard. */
export function checkNoQuery(context: Context): void {
  if (context.querystring !== '') throw refused('badRequest', 'This path takes no query parameters')
}

/**
 * The caller's own token.
 * @throws {Refused} 401 where there is none that could be passed on
 */
export function callerToken({ req }: Context): Secret {
  const values = req.headersDistinct[TOKEN_HEADER.toLowerCase()] ?? []
  const [value] = values
  if (value === undefined)
    throw refused('noToken', `Send the header ${TOKEN_HEADER} with a token of the storage system`)
  if (values.length > 1) throw refused('badRequest', `The header ${TOKEN_HEADER} is sent more than once`)
  const token = tokenFromText(value)
  if (token instanceof Secret) return token
  throw refused('noToken', `The header ${TOKEN_HEADER} ${token}`)
}

const SYSTEM_PATH = /^\/systems\/([^/]+)\//

/**
 * The name of the system that a path is about; undefined where it names none and there are several.
 * @throws {Refused} 400 for a name that cannot be decoded
 */
export function systemName(context: Context, systems: AdminSystems): string | undefined {
  const segment = SYSTEM_PATH.exec(rawPath(context.req))?.[1]
  if (segment !== undefined) return decoded(segment)
  const [only, second] = systems.names()
  return second === undefined ? only : undefined
}

/** @throws {Refused} 400 or 404, naming the systems that there are */
export function systemOf(context: Context, systems: AdminSystems): AdminClient {
  const name = systemName(context, systems)
  const choices = `Systems: ${systems.names().join(', ')}`
  if (name === undefined) throw refused('chooseSystem', `Write /systems/NAME before the path. ${choices}`)
  const client = systems.get(name)
  if (client === undefined) throw refused('unknownSystem', choices)
  return client
}

/** A segment of a path, decoded once. @throws {Refused} 400 */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refused('badRequest', 'The path has a malformed percent-encoding')
  }
}

/** Aborts what is done for a caller who has gone. For reading alone: a deletion is seen through. */
export function goneSignal({ res }: Context): AbortSignal {
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  return gone.signal
}
