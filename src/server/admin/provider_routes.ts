import type { Context } from 'koa'
import type { AdminClient } from '../../api/admin_client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import type { Reason } from '../../api/errors/reasons.ts'
import { type Provider, providerPath } from '../../api/providers/providers.ts'
import { MAX_ID_CHARACTERS } from '../../config/values/ids.ts'
import type { Secret } from '../../config/values/secret.ts'
import { clientAddress } from '../auth/addresses.ts'
import { rawPath } from '../auth/request_check.ts'
import { type Audit, type AuditFacts, fingerprint } from './audit.ts'
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
  systemName,
  systemOf,
} from './request.ts'
import type { AdminSystems } from './systems.ts'

export interface ProviderRoutes {
  readonly systems: AdminSystems
  readonly rateLimits: RateLimits
  readonly audit: Audit
}

/** API document, "List providers". */
export async function answerList(context: Context, { systems, rateLimits }: ProviderRoutes): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  checkAcceptable(context)
  const client = systemOf(context, systems)
  const signal = goneSignal(context)
  const providers = await rateLimits.withToken(clientAddress(context.req.socket), () =>
    client.providers(token, signal),
  )
  const format = formatOf(context)
  context.body = writeProviders(providers, format)
  context.set('Content-Type', CONTENT_TYPES[format])
}

/** A deletion in progress. `facts` is replaced as more becomes known. */
export interface RequestedDeletion {
  facts: AuditFacts
  /** Writes the facts to the audit; must resolve before the deletion is sent. */
  begin(): Promise<void>
}

/** API document, "Delete provider". */
export async function answerDelete(
  context: Context,
  { systems, rateLimits }: ProviderRoutes,
  deletion: RequestedDeletion,
): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  deletion.facts = { ...deletion.facts, token_sha256: fingerprint(token) }
  const client = systemOf(context, systems)
  const id = providerId(context)
  await rateLimits.withToken(clientAddress(context.req.socket), async () => {
    const { user, provider } = await lookUp(client, token, id, goneSignal(context))
    deletion.facts = { ...deletion.facts, user, provider: provider?.name ?? null }
    await deletion.begin()
    await client.deleteProvider(token, id)
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
 */
async function lookUp(
  client: AdminClient,
  token: Secret,
  id: string,
  signal: AbortSignal,
): Promise<{ user: string | null; provider: Provider | undefined }> {
  const [list, user] = await Promise.allSettled([client.providers(token, signal), client.user(token, signal)])
  if (list.status === 'rejected' && isFatal(list.reason)) throw list.reason
  return {
    user: (user.status === 'fulfilled' && user.value) || null,
    provider: list.status === 'fulfilled' ? list.value.find((provider) => provider.id === id) : undefined,
  }
}

function isFatal(failure: unknown): boolean {
  return !(failure instanceof ApiError) || FATAL.includes(failure.reason)
}

/** Writes one audit line for every requested deletion, including refused ones. */
export async function audited(
  context: Context,
  { systems, audit }: ProviderRoutes,
  task: (deletion: RequestedDeletion) => Promise<unknown>,
): Promise<void> {
  const line = audit.line()
  const deletion: RequestedDeletion = {
    facts: firstFacts(context, systems),
    begin: () => line.begin(deletion.facts),
  }
  try {
    await task(deletion)
  } catch (failure) {
    await line.end(deletion.facts, outcomeOf(failure), statusOf(failure))
    throw failure
  }
  await line.end(deletion.facts, 'deleted', context.status)
}

/** Whether the request is a deletion, valid or not. */
export function isDeletion(context: Context): boolean {
  return context.method === 'DELETE' && idInPath(context) !== undefined
}

function firstFacts(context: Context, systems: AdminSystems): AuditFacts {
  const known = (read: () => string | undefined) => {
    try {
      return read()
    } catch {
      return undefined
    }
  }
  const raw = idInPath(context) ?? ''
  return {
    time: new Date().toISOString(),
    system: known(() => systemName(context, systems)) ?? null,
    // Longer ids are refused; this limits the size of the audit line.
    provider_id: (known(() => decoded(raw)) ?? raw).slice(0, MAX_ID_CHARACTERS),
    provider: null,
    address: clientAddress(context.req.socket),
    user: null,
    token_sha256: null,
  }
}
