import { visibleText } from '../../text.ts'
import { HttpError } from '../../values/http_error.ts'

/** The parameters of a path, with their meanings. */
type Parameters = Readonly<Partial<Record<'system' | 'pool' | 'debug', string>>>

/** The target of a request. No caller chooses a host: only configured names are accepted. @throws {HttpError} 400 */
export function readTarget(
  query: string,
  systems: readonly { readonly name: string }[],
  allowed: Parameters,
) {
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((name) => !Object.hasOwn(allowed, name))
  if (unknown !== undefined) throw badRequest(`unknown parameter '${unknown}'; ${listed(allowed)}`)
  const repeated = Object.keys(allowed).find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined) throw badRequest(`the parameter ${repeated} may be given only once`)
  const system = parameters.get('system') ?? ''
  if (system === '') throw badRequest('the parameter system is missing; GET /sd lists the systems')
  if (!systems.some(({ name }) => name === system))
    throw badRequest(`no system '${system}' is configured; GET /sd lists the systems`)
  const debug = parameters.get('debug') ?? 'false'
  if (!/^(true|false)$/.test(debug)) throw badRequest('the parameter debug is true or false')
  return { system, pool: parameters.get('pool') ?? undefined, isExplained: debug === 'true' }
}

function listed(allowed: Parameters): string {
  const names = Object.entries(allowed).map(([name, meaning]) => `${name}, ${meaning}`)
  return names.length === 1 ? `the parameter is ${names}` : `the parameters are ${names.join(', and ')}`
}

export function badRequest(reason: string): HttpError {
  return new HttpError(400, visibleText(reason))
}
