import { createHash, randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { AUDIT_PREFIX, type Log } from '../log.ts'
import { visibleLines } from '../text.ts'
import { errorCode, errorText } from '../values/errors.ts'
import type { Secret } from '../values/secret.ts'
import { type DeletionOutcome, refused } from './errors.ts'
import { createRefusalCount } from './refusal_count.ts'

/** One requested deletion. Members are null until they are known. */
export interface AuditFacts {
  /** Time of the request, ISO 8601. */
  readonly time: string
  readonly system: string
  readonly provider_id: string
  /** Name from the provider list; null if the caller may not read the list. */
  readonly provider: string | null
  /** IP address of the caller. */
  readonly address: string
  /** User name from whoami; null if the system does not support it. */
  readonly user: string | null
  /** The first digits of the SHA-256 of the token, to correlate lines of the same token. */
  readonly token_sha256: string
}

export type Audit = ReturnType<typeof createAudit>

export interface LoginFacts extends Pick<AuditFacts, 'time' | 'system' | 'address'> {
  /** As the caller sent it. */
  readonly user: string
}

interface AuditOptions {
  readonly file?: string | undefined
  readonly log: Log
}

export function createAudit({ file, log }: AuditOptions) {
  const auditFile = file === undefined ? undefined : createAuditFile(file)

  function failed(failure: unknown): string {
    log.error('cannot write the audit file', { file, reason: errorText(failure) })
    return 'The log of the exporter has the reason.'
  }

  function record() {
    const audit_id = randomUUID()
    return {
      /** Must be called right before the deletion is sent. @throws {HttpError} when the audit file cannot be written */
      async begin(facts: AuditFacts): Promise<void> {
        try {
          await auditFile?.append(lineOf({ audit_id, ...facts, outcome: 'pending', status: null }))
        } catch (failure) {
          throw refused('noAudit', failed(failure))
        }
      },
      /**
       * Must be called once for every record, even if begin() was not called. Writes the line with the outcome.
       * @throws {HttpError} when the provider was deleted and the audit file could not be written
       */
      async end(facts: AuditFacts, outcome: DeletionOutcome, status: number): Promise<void> {
        const members = { audit_id, ...facts, outcome, status }
        const fields = Object.entries(members).map(([key, value]) => [key, value ?? 'unknown'])
        log.warn(`${AUDIT_PREFIX}deletion of authentication provider`, Object.fromEntries(fields))
        try {
          await auditFile?.append(lineOf(members))
        } catch (failure) {
          const details = failed(failure)
          // The log has the line. The caller must be informed only if the provider was deleted.
          if (outcome === 'deleted') throw refused('auditIncomplete', details)
        }
      },
    }
  }

  return {
    record,
    /** Writes a line about a login that failed. Their number is bounded by the rate limit of logins. */
    async failedLogin(facts: LoginFacts, outcome: 'refused' | 'failed', status: number): Promise<void> {
      const members = { event: 'login', ...facts, outcome, status }
      log.warn(`${AUDIT_PREFIX}login failed`, members)
      // The log has the line; the login has failed anyway.
      await auditFile?.append(lineOf(members)).catch(failed)
    },
    /** Counts a deletion that was refused before its record began. They are logged once per minute. */
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

function lineOf(members: Readonly<Record<string, string | number | null>>): string {
  return visibleLines(JSON.stringify(members))
}

/** Readable by the group, for log collectors. */
const MODE = 0o640

/** A file of lines. It is opened for each of them, so it can be rotated by renaming. */
export function createAuditFile(path: string) {
  let last: Promise<void> = Promise.resolve()
  return {
    /**
     * Appends a line and a newline; resolves after fsync.
     * @throws when the file cannot be written. It may then have a part of the line, which is never removed: another process
     * may have appended meanwhile
     */
    append(line: string): Promise<void> {
      // One at a time, because a line begins with a newline if the one before was not completed.
      const written = last.then(() => appendLine(path, line))
      last = written.catch(() => undefined)
      return written
    },
  }
}

async function appendLine(path: string, line: string): Promise<void> {
  await using file = await open(path, 'a+', MODE)
  const stats = await file.stat()
  refuseEndless(stats)
  const last = Buffer.alloc(1, '\n')
  await file.read({ buffer: last, position: Math.max(stats.size - 1, 0) })
  // A crash of the machine, or a full disk, may have left a partial line.
  const isPartial = last.toString() !== '\n'
  await file.appendFile(`${isPartial ? '\n' : ''}${line}\n`)
  await file.sync()
}

/** A write to a FIFO waits for its reader, perhaps without end, and deletions wait for the write. */
function refuseEndless(stats: Stats): void {
  if (stats.isFIFO() || stats.isSocket())
    throw new Error('cannot be written: it is a FIFO or a socket, not a regular file')
}

/** Creates the file if it is missing. @throws when it cannot be written, with the path and the error code */
export async function checkAuditFile(path: string): Promise<void> {
  try {
    await using file = await open(path, 'a+', MODE)
    refuseEndless(await file.stat())
  } catch (cause) {
    const code = errorCode(cause)
    const problem = code === '' ? errorText(cause) : `cannot be written (${code})`
    throw new Error(`--admin.audit-file=${path} ${problem}`, { cause })
  }
}
