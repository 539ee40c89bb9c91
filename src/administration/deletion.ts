import { Abandoned, type AdminClient } from '../api/admin_client.ts'
import { ApiError } from '../api/errors/errors.ts'
import { REASONS } from '../api/errors/reasons.ts'
import type { Secret } from '../values/secret.ts'
import { type Audit, type AuditFacts, fingerprint } from './audit.ts'
import { outcomeOf, statusOf } from './errors.ts'

/** Who sends requests to which system. */
export interface Caller {
  readonly client: AdminClient
  /** The caller's own. */
  readonly token: Secret
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal
}

/** What is known before a deletion. */
export type Lookup = Awaited<ReturnType<typeof lookUp>>

/** @throws {Abandoned} if the caller has left @throws {ApiError} if a deletion would fail, too */
export async function lookUp({ client, token, signal }: Caller) {
  const [list, account] = await Promise.allSettled([
    client.providers(token, signal),
    client.account(token, signal),
  ])
  if (signal.aborted) throw new Abandoned()
  /** Undefined if the system does not tell, such as one without whoami. */
  const user = account.status === 'fulfilled' ? account.value.user : undefined
  if (list.status === 'fulfilled') return { user, providers: list.value }
  const failure: unknown = list.reason
  if (!(failure instanceof ApiError)) throw failure
  if (['endpoint', 'local'].includes(REASONS[failure.reason].origin)) throw failure
  // An account may delete without the right to list.
  return { user, providers: failure }
}

export interface RequestedDeletion extends Caller {
  readonly system: string
  readonly id: string
  /** IP address of the caller, or its command line. */
  readonly address: string
  /** Undefined: read before the deletion. */
  readonly known?: Lookup
}

/**
 * Deletes a provider and writes the audit line. The signal is ignored as soon as the deletion is sent.
 * @throws {ApiError} if it was not deleted, or this is unknown
 */
export async function deleteProvider(deletion: RequestedDeletion, audit: Audit): Promise<void> {
  const { client, system, token, id, address, signal } = deletion
  let facts: AuditFacts = {
    time: new Date().toISOString(),
    system,
    provider_id: id,
    provider: 'unknown',
    address,
    user: 'unknown',
    token_sha256: fingerprint(token),
  }
  try {
    const { user, providers } = deletion.known ?? (await lookUp(deletion))
    const provider = providers instanceof ApiError ? undefined : providers.find((other) => other.id === id)
    facts = { ...facts, user: user || 'unknown', provider: provider?.name ?? 'unknown' }
    await client.deleteProvider(token, id, signal)
  } catch (failure) {
    audit.deletion(facts, outcomeOf(failure), statusOf(failure))
    throw failure
  }
  audit.deletion(facts, 'deleted', 200)
}
