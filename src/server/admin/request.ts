import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { DocumentFormat } from '../../administration/documents.ts'
import { refused } from '../../administration/errors.ts'
import { TOKEN_HEADER } from '../../api/http/credentials.ts'
import { readUpTo } from '../../api/http/transport.ts'
import { Secret, tokenFromText } from '../../values/secret.ts'
import { hasExpectedHost, isCrossSite, type OriginRules } from '../auth/origin.ts'
import { rawPath } from '../auth/request_check.ts'
import { ADMIN_PATHS, findPath } from '../paths.ts'
import type { AdminSystems } from './systems.ts'

/** The row and parameters of the path; undefined if nothing is served there. */
export const routeOf = ({ req }: Context) => findPath(ADMIN_PATHS, rawPath(req))

/** The format of lists and errors: JSON if the path ends in `.json` or the caller prefers JSON, otherwise XML. */
export function formatOf(context: Context): DocumentFormat {
  if (rawPath(context.req).endsWith('.json') || routeOf(context)?.row.content === 'json') return 'json'
  return context.accepts('application/xml', 'text/xml', 'application/json') === 'application/json'
    ? 'json'
    : 'xml'
}

/** @throws {HttpError} 406 if the caller does not accept the content type of the path */
export function checkAcceptable(context: Context): void {
  const offered = formatOf(context) === 'json' ? ['application/json'] : ['application/xml', 'text/xml']
  if (context.accepts(offered) === false) {
    throw refused(
      'notAcceptable',
      'The list is served as application/xml, and as application/json if the path ends in .json',
    )
  }
}

/** Protects against DNS rebinding and against cross-site requests. @throws {HttpError} 421 or 403 */
export function checkOrigin(request: IncomingMessage, rules: OriginRules): void {
  if (!hasExpectedHost(request, rules)) {
    throw refused('foreignHost', 'To allow this name, start the exporter with --admin.allowed-hosts=NAME')
  }
  if (isCrossSite(request, rules)) {
    throw refused('foreignOrigin', 'Browsers may send this request only from the page of this exporter')
  }
}

/** Only the login has a body, and it is short. */
const MAX_BODY_BYTES = 4096

/** @throws {HttpError} 413 if the body is longer than 4096 bytes; the connection is then closed */
export async function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => refused('tooLarge', `The limit is ${MAX_BODY_BYTES} bytes`, { Connection: 'close' })
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  // The error is sent on the same connection.
  const { bytes, whole } = await readUpTo(request.iterator({ destroyOnReturn: false }), MAX_BODY_BYTES)
  if (!whole) throw tooLarge()
  return bytes
}

/** The API defines no query parameters here; ignoring one could mislead the caller. @throws {HttpError} 400 */
export function checkNoQuery(context: Context): void {
  if (context.querystring !== '') throw refused('badRequest', 'This path takes no query parameters')
}

/** @throws {HttpError} 401 if the token is missing or not valid in a header, 400 if it is repeated */
export function callerToken({ req }: Context): Secret {
  const values = req.headersDistinct[TOKEN_HEADER.toLowerCase()] ?? []
  const [value] = values
  if (value === undefined)
    throw refused('noToken', `Send a token of the storage system in the header ${TOKEN_HEADER}`)
  if (values.length > 1) throw refused('badRequest', `The header ${TOKEN_HEADER} is sent more than once`)
  const token = tokenFromText(value)
  if (token instanceof Secret) return token
  throw refused('noToken', `The header ${TOKEN_HEADER} ${token}`)
}

/** The system of the path, or the only one; undefined if there are several. @throws {HttpError} 400 if it cannot be decoded */
function systemName(context: Context, systems: AdminSystems): string | undefined {
  const segment = routeOf(context)?.parameters['system']
  if (segment !== undefined) return decoded(segment)
  const [only, second] = systems.names()
  return second === undefined ? only : undefined
}

/** @throws {HttpError} 400 or 404; the details list the configured systems */
export function systemOf(context: Context, systems: AdminSystems) {
  const name = systemName(context, systems)
  const choices = choicesText(systems.names())
  if (name === undefined) throw refused('chooseSystem', `Prefix the path with /systems/NAME. ${choices}`)
  const client = systems.get(name)
  if (client === undefined) throw refused('unknownSystem', choices)
  return { name, client }
}

const MAX_LISTED = 20

/** Bounded, because the request needs no valid token. */
function choicesText(names: readonly string[]): string {
  const others = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more: see GET /systems` : ''
  return `Systems: ${names.slice(0, MAX_LISTED).join(', ')}${others}`
}

/** A segment of a path, decoded once. @throws {HttpError} 400 */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw refused('badRequest', 'The path has a malformed percent-encoding')
  }
}
