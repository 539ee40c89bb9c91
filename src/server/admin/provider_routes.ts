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
import type { Pace } from './pace.ts'
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
  readonly pace: Pace
  readonly audit: Audit
}

/** API document, "List providers". */
export async function answerList(context: Context, { systems, pace }: ProviderRoutes): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  checkAcceptable(context)
  const client = systemOf(context, systems)
  const signal = goneSignal(context)
  const providers = await pace.withToken(clientAddress(context.req.socket), () =>
    client.providers(token, signal),
  )
  const format = formatOf(context)
  context.body = writeProviders(providers, format)
  context.set('Content-Type', CONTENT_TYPES[format])
}

/** A deletion while it is asked for: what is found out is written to the facts. */
export interface AskedDeletion {
  facts: AuditFacts
  /** Writes the facts down; a deletion is not sent before that. */
  begin(): Promise<void>
}

/** API document, "Delete provider". */
export async function answerDelete(
  context: Context,
  { systems, pace }: ProviderRoutes,
  asked: AskedDeletion,
): Promise<void> {
  checkNoQuery(context)
  const token = callerToken(context)
  asked.facts = { ...asked.facts, token_sha256: fingerprint(token) }
  const client = systemOf(context, systems)
  const id = providerId(context)
  await pace.withToken(clientAddress(context.req.socket), async () => {
    const { user, provider } = await lookUp(client, token, id, goneSignal(context))
    asked.facts = { ...asked.facts, user, provider: provider?.name ?? null }
    await asked.begin()
    await client.deleteProvider(token, id)
  })
  context.status = 200
  context.body = ''
  context.set('Content-Type', CONTENT_TYPES[formatOf(context)])
}

const DELETION = /^(?:\/systems\/[^/]+)?\/vdc\/admin\/authnproviders\/([^/]+?)(?:\.json)?$/

/** The id in the path of a deletion, still encoded; undefined for other paths. The ending `.json` is the format. */
function idInPath(context: Context): string | undefined {
  return DELETION.exec(rawPath(context.req))?.[1]
}

/** The id as the system has it: opaque, decoded once. @throws {Refused} 400 for one that cannot be sent on exactly */
function providerId(context: Context): string {
  const id = decoded(idInPath(context) ?? '')
  try {
    providerPath(id)
  } catch (failure) {
    throw refused('badRequest', failure instanceof ApiError ? failure.detail : 'The id cannot be sent on')
  }
  return id
}

/** The system gave no answer at all: a deletion would fare no better. */
const NO_ANSWER: readonly Reason[] = [
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
 * Who deletes what, for the audit. Not everybody who may delete may list, and not every system has a whoami; but a
 * token that is refused here, or a system that does not answer, ends it before anything is deleted.
 */
async function lookUp(
  client: AdminClient,
  token: Secret,
  id: string,
  signal: AbortSignal,
): Promise<{ user: string | null; provider: Provider | undefined }> {
  const [list, user] = await Promise.allSettled([client.providers(token, signal), client.user(token, signal)])
  if (list.status === 'rejected' && endsIt(list.reason)) throw list.reason
  return {
    user: (user.status === 'fulfilled' && user.value) || null,
    provider: list.status === 'fulfilled' ? list.value.find((provider) => provider.id === id) : undefined,
  }
}

function endsIt(failure: unknown): boolean {
  return !(failure instanceof ApiError) || NO_ANSWER.includes(failure.reason)
}

/** Every deletion that is asked for leaves one line in the audit, whoever refuses it, and why ever. */
export async function audited(
  context: Context,
  { systems, audit }: ProviderRoutes,
  task: (asked: AskedDeletion) => Promise<unknown>,
): Promise<void> {
  const line = audit.line()
  const asked: AskedDeletion = { facts: firstFacts(context, systems), begin: () => line.begin(asked.facts) }
  try {
    await task(asked)
  } catch (failure) {
    await line.end(asked.facts, outcomeOf(failure), statusOf(failure))
    throw failure
  }
  await line.end(asked.facts, 'deleted', context.status)
}

/** Whether a request asks for a deletion, whatever becomes of it. */
export function asksForDeletion(context: Context): boolean {
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
    // Longer ids are refused; the audit must not grow by what a stranger sends.
    provider_id: (known(() => decoded(raw)) ?? raw).slice(0, MAX_ID_CHARACTERS),
    provider: null,
    address: clientAddress(context.req.socket),
    user: null,
    token_sha256: null,
  }
}
