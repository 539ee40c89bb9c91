import { createHash } from 'node:crypto'
import type { Secret } from '../../config/values/secret.ts'
import type { Log } from '../../log.ts'
import { createAuditFile, type OpenLine } from './audit_file.ts'
import { refused } from './errors.ts'

/** What is known of a deletion that was asked for; the rest is found out on the way. */
export interface AuditFacts {
  /** When it was asked for, as ISO 8601. */
  readonly time: string
  readonly system: string | null
  readonly provider_id: string
  /** By the system's list, where the caller may read it. */
  readonly provider: string | null
  /** Address of the caller. */
  readonly address: string
  /** By the system's whoami, where it has one. */
  readonly user: string | null
  /** The first digits of the SHA-256 of the token: the same for the same token, and no way back to it. */
  readonly token_sha256: string | null
}

/**
 * `refused`: by us or by the system, and nothing was deleted. `failed`: the system could not be asked, or failed.
 * `unknown`: the answer was lost.
 */
export type DeletionOutcome = 'deleted' | 'refused' | 'failed' | 'unknown'

/** One deletion on its way. */
export interface AuditLine {
  /**
   * To be called right before the deletion is sent.
   * @throws {Refused} when the audit file cannot be written
   */
  begin(facts: AuditFacts): Promise<void>
  /**
   * Once for every line, whether it was begun or not.
   * @throws {Refused} when the deletion happened and the audit file could not be completed
   */
  end(facts: AuditFacts, outcome: DeletionOutcome, status: number): Promise<void>
}

export interface Audit {
  line(): AuditLine
}

const UNKNOWN_END = tail('unknown', 0)

/** Writes each deletion that was asked for as one line of the log, and of the audit file where there is one. */
export function createAudit({ file, log }: { readonly file?: string; readonly log: Log }): Audit {
  const audited = file === undefined ? undefined : createAuditFile(file, UNKNOWN_END)

  function failed(failure: unknown): string {
    const reason = failure instanceof Error ? failure.message : String(failure)
    log.error('the audit file cannot be written', { file, reason })
    return 'Ask whoever runs this exporter: its log has the reason.'
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
          log.warn('audit: deletion of an authentication provider', { ...shown(facts), outcome, status })
          const wasBegun = open !== undefined
          try {
            open ??= await audited?.begin(head(facts))
            await open?.end(tail(outcome, status))
          } catch (failure) {
            const words = failed(failure)
            // A refusal stands, and the log has its line; only of a deletion must the caller hear.
            if (wasBegun && outcome === 'deleted') throw refused('auditIncomplete', words)
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

/** A JSON object without its end, */
function head(facts: AuditFacts): string {
  return `${JSON.stringify(facts).slice(0, -1)},`
}

/** and the end that makes it one. */
function tail(outcome: DeletionOutcome, status: number): string {
  return JSON.stringify({ outcome, status }).slice(1)
}

function shown(facts: AuditFacts): Record<string, string> {
  return Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, value ?? 'unknown']))
}
