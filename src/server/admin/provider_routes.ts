import type { Context, Next } from 'koa'
import type { Audit } from '../../administration/audit.ts'
import { deleteProvider } from '../../administration/deletion.ts'
import { CONTENT_TYPES, writeProviders } from '../../administration/documents.ts'
import { refused, statusOf } from '../../administration/errors.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { providerPath } from '../../api/providers/providers.ts'
import { clientAddress } from '../auth/addresses.ts'
import { goneSignal } from '../gone_signal.ts'
import { type SystemRoutes, withToken } from './credentials_audit.ts'
import {
  callerToken,
  checkAcceptable,
  checkNoQuery,
  decoded,
  formatOf,
  routeOf,
  systemOf,
} from './request.ts'

/** API document, "List providers". */
export async function serveList(context: Context, routes: SystemRoutes): Promise<void> {
  checkAcceptable(context)
  const signal = goneSignal(context.res)
  const providers = await withToken(context, routes, (client, token) => client.providers(token, signal))
  const format = formatOf(context)
  context.body = writeProviders(providers, format)
  context.set('Content-Type', CONTENT_TYPES[format])
}

/** API document, "Delete provider". */
export async function serveDelete(
  context: Context,
  { systems, rateLimits, audit }: SystemRoutes,
): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  const { name, client } = systemOf(context, systems)
  const id = providerId(context)
  const address = clientAddress(context.req.socket)
  const signal = goneSignal(context.res)
  await rateLimits.withToken(address, name, () => {
    context.state[AUDITED] = true
    return deleteProvider({ client, system: name, token, id, address, signal }, audit)
  })
  context.status = 200
  context.body = ''
  context.set('Content-Type', CONTENT_TYPES[formatOf(context)])
}

/** The id, decoded once and otherwise opaque. @throws {HttpError} 400 if it cannot be one path segment */
function providerId(context: Context): string {
  const id = decoded(routeOf(context)?.parameters['id']?.replace(/\.json$/, '') ?? '')
  try {
    providerPath(id)
  } catch (failure) {
    throw refused('badRequest', failure instanceof ApiError ? failure.detail : 'The id cannot be sent')
  }
  return id
}

/** The member of `context.state` that is set when the deletion has an audit record. */
const AUDITED = 'isAudited'

/** Whether the request is a deletion, valid or not. */
export function isDeletion(context: Context): boolean {
  return context.method === 'DELETE' && routeOf(context)?.row.method === 'DELETE'
}

/** Counts a deletion that is refused before it has an audit record. */
export async function countRefusals(context: Context, audit: Audit, next: Next): Promise<void> {
  try {
    await next()
  } catch (failure) {
    if (context.state[AUDITED] !== true) {
      audit.countRefusal({ address: clientAddress(context.req.socket), status: statusOf(failure) })
    }
    throw failure
  }
}
