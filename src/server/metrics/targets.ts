import type { Context } from 'koa'
import type { SystemState } from '../../state/state.ts'
import { visibleText } from '../../text.ts'
import { HttpError } from '../../values/http_error.ts'
import type { ResponseSlots } from '../response_slots.ts'

export type Target = Pick<SystemState, 'name' | 'labels'>

const HOST = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(:\d{1,5})?$/i
const BAD_HOST = new HttpError(
  400,
  'The header Host must have a host name or an address: that of the targets.',
)
const HELD = { group: 'sd', exposition: {} } as const

/**
 * Handles `GET /sd`: one target group of `http_sd_configs` for each system, under the address that the client used, which is that of a Service or
 * of a proxy if there is one.
 */
export function createServiceDiscovery(
  { systems }: { readonly systems: () => readonly Target[] },
  slots: ResponseSlots,
): (context: Context) => void {
  return (context) => {
    const { host = '' } = context.req.headers
    if (!HOST.test(host)) throw BAD_HOST
    slots.take(context.res, HELD)
    const scheme = 'encrypted' in context.req.socket ? { __scheme__: 'https' } : {}
    const groups = systems().map(({ name, labels }) => ({
      targets: [host],
      // All targets have one address; without an instance of their own, their series `up` would be the same.
      labels: { ...labels, instance: name, __metrics_path__: '/probe', __param_system: name, ...scheme },
    }))
    context.body = JSON.stringify(groups)
  }
}

/** The parameters of a path, with their meanings. */
type Parameters = Readonly<Partial<Record<'system' | 'pool', string>>>

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
  return { system, pool: parameters.get('pool') ?? undefined }
}

function listed(allowed: Parameters): string {
  const names = Object.entries(allowed).map(([name, meaning]) => `${name}, ${meaning}`)
  return names.length === 1 ? `the parameter is ${names}` : `the parameters are ${names.join(', and ')}`
}

export function badRequest(reason: string): HttpError {
  return new HttpError(400, visibleText(reason))
}
