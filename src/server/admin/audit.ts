import { createHash } from 'node:crypto'
import type { Secret } from '../../config/values/secret.ts'
import type { Log } from '../../log.ts'
import { createAuditFile, type OpenLine } from './audit_file.ts'
import { refused } from './errors.ts'

/** One requested deletion. Members are null until they are known. */
export interface AuditFacts {
  /** Time of the request, ISO 8601. */
  readonly time: string
  readonly system: string | null
  readonly provider_id: string
  /** Name from the provider list; null if the caller may not read the list. */
  readonly provider: string | null
  /** IP address of the caller. */
  readonly address: string
  /** User name from whoami; null if the system does not support it. */
  readonly user: string | null
  /** The first digits of the SHA-256 of the token, to correlate lines of the same token. */
  readonly token_sha256: string | null
}

/**
 * `refused`: by the exporter or by the system; nothing was deleted. `failed`: the system was unreachable or failed.
 * `unknown`: the response was lost.
 */
export type DeletionOutcome = 'deleted' | 'refused' | 'failed' | 'unknown'

/** The audit record of one deletion. */
export interface AuditLine {
  /**
   * Must be called right before the deletion is sent.
   * @throws {Refused} when the audit file cannot be written
   */
  begin(facts: AuditFacts): Promise<void>
  /**
   * Must be called once for every record, even if begin() was not called.
   * @throws {Refused} when the provider was deleted and the audit file could not be written
   */
  end(facts: AuditFacts, outcome: DeletionOutcome, status: number): Promise<void>
}

export interface Audit {
  line(): AuditLine
}

const UNKNOWN_TAIL = tail('unknown', 0)

/** Writes each requested deletion as one line to the log and, if configured, to the audit file. */
export function createAudit({ file, log }: { readonly file?: string; readonly log: Log }): Audit {
  const audited = file === undefined ? undefined : createAuditFile(file, UNKNOWN_TAIL)

  function failed(failure: unknown): string {
    const reason = failure instanceof Error ? failure.message : String(failure)
    log.error('cannot write the audit file', { file, reason })
    return 'The log of the exporter has the reason.'
  }

  return {
    line() {
      let open: OpenLine | undefined
      return {
        async begin(facts) {
          try {
            open = await audited?.begin(head(facts))
          } catch (failure) {
            throw refused('noAudit', failed(failure))
          }
        },
        async end(facts, outcome, status) {
          log.warn('audit: deletion of authentication provider', { ...shown(facts), outcome, status })
          const wasBegun = open !== undefined
          try {
            open ??= await audited?.begin(head(facts))
            await open?.end(tail(outcome, status))
          } catch (failure) {
            const details = failed(failure)
            // The log has the line. The caller must be informed only if the provider was deleted.
            if (wasBegun && outcome === 'deleted') throw refused('auditIncomplete', details)
          }
        },
      }
    },
  }
}

const FINGERPRINT_DIGITS = 12

export function fingerprint(token: Secret): string {
  return createHash('sha256').update(token.reveal()).digest('hex').slice(0, FINGERPRINT_DIGITS)
}

/** The start of a JSON object; tail() completes it. */
function head(facts: AuditFacts): string {
  return `${JSON.stringify(facts).slice(0, -1)},`
}

function tail(outcome: DeletionOutcome, status: number): string {
  return JSON.stringify({ outcome, status }).slice(1)
}

function shown(facts: AuditFacts): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, value ?? 'unknown']))
}
