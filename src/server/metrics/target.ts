import type { Context } from 'koa'
import { visibleText } from '../../text.ts'
import { sendText } from '../page/send_text.ts'

/** The parameters of a path, with their meanings. */
type Parameters = Readonly<Partial<Record<'system' | 'pool' | 'debug', string>>>

/** The target of a request, or why it is refused. No caller chooses a host: only configured names are accepted. */
export function readTarget(
  query: string,
  systems: readonly { readonly name: string }[],
  allowed: Parameters,
) {
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((name) => !Object.hasOwn(allowed, name))
  if (unknown !== undefined) return `unknown parameter '${unknown}'; ${listed(allowed)}`
  const repeated = Object.keys(allowed).find((name) => parameters.getAll(name).length > 1)
  if (repeated !== undefined) return `the parameter ${repeated} may be given only once`
  const system = parameters.get('system') ?? ''
  if (system === '') return 'the parameter system is missing; GET /sd lists the systems'
  if (!systems.some(({ name }) => name === system))
    return `no system '${system}' is configured; GET /sd lists the systems`
  const debug = parameters.get('debug') ?? 'false'
  if (!/^(true|false)$/.test(debug)) return 'the parameter debug is true or false'
  return { system, pool: parameters.get('pool') ?? undefined, isExplained: debug === 'true' }
}

function listed(allowed: Parameters): string {
  const names = Object.entries(allowed).map(([name, meaning]) => `${name}, ${meaning}`)
  return names.length === 1 ? `the parameter is ${names}` : `the parameters are ${names.join(', and ')}`
}

export function refuseRequest(context: Context, reason: string): void {
  sendText(context, 400, visibleText(reason))
}
