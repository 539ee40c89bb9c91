import type { Context, Next } from 'koa'
import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { Reason } from '../../api/errors/reasons.ts'
import { Abandoned } from '../../api/providers/deletion.ts'
import { type Provider, providerPath } from '../../api/providers/providers.ts'
import type { Secret } from '../../values/secret.ts'
import { clientAddress } from '../auth/addresses.ts'
import { rawPath } from '../auth/request_check.ts'
import { type Audit, type AuditFacts, type AuditRecord, fingerprint } from './audit.ts'
import { countedToken } from './credentials_audit.ts'
import { CONTENT_TYPES, writeProviders } from './documents.ts'
import { refused } from './errors.ts'
import { outcomeOf, statusOf } from './outcome.ts'
import type { RateLimits } from './rate_limits.ts'
import {
  callerToken,
  checkAcceptable,
  checkNoQuery,
  decoded,
  formatOf,
  goneSignal,
  systemOf,
} from './request.ts'
import type { AdminSystems } from './systems.ts'

export interface ProviderRoutes {
  readonly systems: AdminSystems
  readonly rateLimits: RateLimits
  readonly audit: Audit
}

/** API document, "List providers". */
export async function answerList(
  context: Context,
  { systems, rateLimits, audit }: ProviderRoutes,
): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  checkAcceptable(context)
  const { name, client } = systemOf(context, systems)
  const signal = goneSignal(context)
  const address = clientAddress(context.req.socket)
  const list = () => client.providers(token, signal)
  const providers = await countedToken(audit, address, () => rateLimits.withToken(address, name, list))
  const format = formatOf(context)
  context.body = writeProviders(providers, format)
  context.set('Content-Type', CONTENT_TYPES[format])
}

/** API document, "Delete provider". */
export async function answerDelete(
  context: Context,
  { systems, rateLimits, audit }: ProviderRoutes,
): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  const { name, client } = systemOf(context, systems)
  const id = providerId(context)
  const address = clientAddress(context.req.socket)
  const gone = goneSignal(context)
  const facts: AuditFacts = {
    time: new Date().toISOString(),
    system: name,
    provider_id: id,
    provider: null,
    address,
    user: null,
    token_sha256: fingerprint(token),
  }
  await rateLimits.withToken(address, name, () => {
    context.state[AUDITED] = true
    return audited(audit, facts, async (begin) => {
      const { user, provider } = await lookUp(client, token, id, gone)
      await begin({ ...facts, user, provider: provider?.name ?? null })
      await client.deleteProvider(token, id, gone)
    })
  })
  context.status = 200
  context.body = ''
  context.set('Content-Type', CONTENT_TYPES[formatOf(context)])
}

const DELETION = /^(?:\/systems\/[^/]+)?\/vdc\/admin\/authnproviders\/([^/]+?)(?:\.json)?$/

/** The id in the path of a deletion, percent-encoded, without the suffix `.json`; undefined for other paths. */
function idInPath(context: Context): string | undefined {
  return DELETION.exec(rawPath(context.req))?.[1]
}

/** The id, decoded once and otherwise opaque. @throws {Refused} 400 if it cannot be one path segment */
function providerId(context: Context): string {
  const id = decoded(idInPath(context) ?? '')
  try {
    providerPath(id)
  } catch (failure) {
    throw refused('badRequest', failure instanceof ApiError ? failure.detail : 'The id cannot be sent')
  }
  return id
}

/** Failures of the list request after which a deletion would fail too. */
const FATAL: readonly Reason[] = [
  'connect',
  'dns',
  'tls',
  'timeout',
  'reset',
  'local',
  'auth',
  'html',
  'redirect',
]

/**
 * The user and the provider for the audit. An account may delete without the right to list, and some systems have no
 * whoami, so these may be missing. A refused token or an unreachable system ends the deletion.
 * @throws {Abandoned} if the caller has disconnected
 */
async function lookUp(
  client: AdminClient,
  token: Secret,
  id: string,
  signal: AbortSignal,
): Promise<{ user: string | null; provider: Provider | undefined }> {
  const [list, user] = await Promise.allSettled([client.providers(token, signal), client.user(token, signal)])
  if (signal.aborted) throw new Abandoned()
  if (list.status === 'rejected' && isFatal(list.reason)) throw list.reason
  return {
    user: (user.status === 'fulfilled' && user.value) || null,
    provider: list.status === 'fulfilled' ? list.value.find((provider) => provider.id === id) : undefined,
  }
}

function isFatal(failure: unknown): boolean {
  return !(failure instanceof ApiError) || FATAL.includes(failure.reason)
}

/**
 * Writes the audit record of a deletion.
 * @param task must call `begin` with all facts right before it sends the deletion
 */
async function audited(
  audit: Audit,
  facts: AuditFacts,
  task: (begin: AuditRecord['begin']) => Promise<void>,
): Promise<void> {
  const record = audit.record()
  let known = facts
  const begin = (found: AuditFacts) => {
    known = found
    return record.begin(found)
  }
  try {
    await task(begin)
  } catch (failure) {
    await record.end(known, outcomeOf(failure), statusOf(failure))
    throw failure
  }
  await record.end(known, 'deleted', DELETED_STATUS)
}

const DELETED_STATUS = 200

/** The member of `context.state` that is set when the deletion has an audit record. */
const AUDITED = 'isAudited'

/** Whether the request is a deletion, valid or not. */
export function isDeletion(context: Context): boolean {
  return context.method === 'DELETE' && idInPath(context) !== undefined
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
