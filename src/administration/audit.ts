import { createHash } from 'node:crypto'
import { AUDIT_PREFIX, type Log } from '../log.ts'
import type { Secret } from '../values/secret.ts'
import type { DeletionOutcome } from './errors.ts'

/** One requested deletion. Members are `unknown` until they are known. */
export type AuditFacts = {
  /** Time of the request, ISO 8601. */
  readonly time: string
  readonly system: string
  readonly provider_id: string
  /** Name from the provider list, which not every caller may read. */
  readonly provider: string
  /** IP address of the caller, or its command line. */
  readonly address: string
  /** User name from whoami, which not every system supports. */
  readonly user: string
  /** The first digits of the SHA-256 of the token, to correlate lines of the same token. */
  readonly token_sha256: string
}

export type Audit = ReturnType<typeof createAudit>

/** The user is as the caller sent it. */
export type LoginFacts = Pick<AuditFacts, 'time' | 'system' | 'address' | 'user'>

export function createAudit(log: Log) {
  return {
    /** Writes the line of a deletion that ended. */
    deletion: (facts: AuditFacts, outcome: DeletionOutcome, status: number): void =>
      log.warn(`${AUDIT_PREFIX}deletion of authentication provider`, { ...facts, outcome, status }),
    /** Writes a line about a login that failed. Their number is bounded by the rate limit of logins. */
    failedLogin: (facts: LoginFacts, outcome: 'refused' | 'failed', status: number): void =>
      log.warn(`${AUDIT_PREFIX}login failed`, { event: 'login', ...facts, outcome, status }),
    /** Counts a deletion that was refused before it had a line. They are logged once per minute. */
    countRefusal: createRefusalCount(log, 'deletions refused without an audit line'),
    /** Counts a request with a token that the system refused. They are logged once per minute. */
    countRefusedToken: createRefusalCount(log, 'tokens refused by a system'),
    /** Counts a login or token that was not sent, because too many failed before. They are logged once per minute. */
    countLockout: createRefusalCount(log, 'locked out after too many failed logins'),
  }
}

const FINGERPRINT_DIGITS = 12

export function fingerprint(token: Secret): string {
  return createHash('sha256').update(token.reveal()).digest('hex').slice(0, FINGERPRINT_DIGITS)
}

/** A request that was refused and has no audit line of its own. */
type UnauditedRefusal = { readonly address: string; readonly status: number }

const INTERVAL_MS = 60_000

/** Counts refusals and writes audit lines with their number: the first one at once, further ones once per minute. */
export function createRefusalCount(log: Log, message: string): (refusal: UnauditedRefusal) => void {
  let count = 0
  let last: UnauditedRefusal | undefined
  let isWaiting = false

  function report(): void {
    isWaiting = false
    if (last === undefined || count === 0) return
    const { address, status } = last
    log.warn(`${AUDIT_PREFIX}${message}`, { count, last_address: address, last_status: status })
    count = 0
    isWaiting = true
    setTimeout(report, INTERVAL_MS).unref()
  }

  return (refusal) => {
    count += 1
    last = refusal
    if (!isWaiting) report()
  }
}
