import { ApiError } from '../../../api/errors/errors.ts'
import { exchangeFailure } from '../../../api/http/failures.ts'
import type { SystemConfig } from '../../../config/config.ts'

/** Result of a check. `info` needs no action; `skip` means that the check could not run. */
export type Status = 'ok' | 'info' | 'warn' | 'fail' | 'skip'

export interface Finding {
  readonly status: Status
  /** The checked item, if a check has several: a base URL, a pool. */
  readonly subject?: string | undefined
  readonly text: string
  readonly remedy?: string | undefined
}

export type FindingRow = readonly [
  applies: boolean,
  status: Status,
  text: string,
  remedy?: string | undefined,
]

export function allOf(subject: string | undefined, rows: readonly FindingRow[]): Finding[] {
  return rows.flatMap(([applies, status, text, remedy]) =>
    applies ? [{ status, subject, text, remedy }] : [],
  )
}

export function firstOf(
  subject: string | undefined,
  rows: readonly FindingRow[],
  ...[status, text, remedy]: readonly [status: Status, text: string, remedy?: string]
): Finding {
  return allOf(subject, rows)[0] ?? { status, subject, text, remedy }
}

export interface CheckReport {
  readonly title: string
  readonly findings: readonly Finding[]
}

/** The findings of a check, perhaps with its fact. */
export type Outcome<Fact> =
  | readonly Finding[]
  | { readonly findings: readonly Finding[]; readonly fact: Fact | undefined }

export interface Running {
  readonly signal: AbortSignal
  readonly onCheck: (title: string) => void
}

export class CheckFailure extends Error {
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.name = 'CheckFailure'
    this.remedy = remedy
  }
}

/** Runs checks one after the other, each with the facts of checks before it, and keeps their findings. */
export function createChecks({ signal, onCheck }: Running) {
  const reports: CheckReport[] = []

  async function outcomeOf<Fact>(run: () => Promise<Outcome<Fact>> | Outcome<Fact>) {
    try {
      const outcome = await run()
      return 'findings' in outcome ? outcome : { findings: outcome, fact: undefined }
    } catch (failure) {
      return { findings: [failureOf(failure, signal)], fact: undefined }
    }
  }

  return {
    reports: reports as readonly CheckReport[],
    /**
     * Skips the check if one of the facts that it needs is missing, which are by the title of their check.
     * @returns what later checks need of it; undefined: they are skipped
     */
    async run<Facts extends object, Fact = never>(
      title: string,
      needs: { readonly [Check in keyof Facts]: Facts[Check] | undefined },
      check: (facts: Facts) => Promise<Outcome<Fact>> | Outcome<Fact>,
    ): Promise<Fact | undefined> {
      const missing = Object.entries(needs).find(([, fact]) => fact === undefined)
      if (signal.aborted || missing !== undefined) {
        const interrupted = isTimeLimit(signal) ? 'time limit reached' : 'interrupted'
        const why = signal.aborted ? interrupted : `needs ${missing?.[0]}`
        reports.push({ title, findings: [{ status: 'skip', text: `skipped: ${why}` }] })
        return undefined
      }
      onCheck(title)
      const { findings, fact } = await outcomeOf(() => check(needs as Facts))
      reports.push({ title, findings })
      return fact
    },
  }
}

function isTimeLimit({ reason }: AbortSignal): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

function failureOf(failure: unknown, signal: AbortSignal): Finding {
  const status = 'fail'
  if (signal.aborted) {
    if (!isTimeLimit(signal)) return { status: 'skip', text: 'interrupted' }
    const remedy = 'use --system=NAME to check a single system'
    return { status, text: 'not finished within the time limit of all checks', remedy }
  }
  if (failure instanceof CheckFailure) return { status, text: failure.message, remedy: failure.remedy }
  const what = failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure)
  return { status, text: `internal error in this check: ${what}`, remedy: 'report this bug in sds-exporter' }
}

/** Converts failures into warnings if at least one of several equivalent addresses works. */
export function failuresAsWarnings(findings: readonly Finding[]): Finding[] {
  const allFailed = findings.every(({ status }) => status === 'fail')
  return findings.map((finding) =>
    finding.status === 'fail' && !allFailed ? { ...finding, status: 'warn' } : finding,
  )
}

/** A failure of a request as an ApiError. @throws any other error, such as an abort */
export function asFailure(failure: unknown): ApiError {
  const known = exchangeFailure(failure)
  if (known instanceof ApiError && (failure instanceof ApiError || known.reason !== 'local')) return known
  throw failure
}

export function failed(failure: unknown, more: Partial<Finding> = {}): Finding {
  const known = asFailure(failure)
  return { status: 'fail', text: known.detail, remedy: known.remedy, ...more }
}

/** A list as a fact, which an empty one is not. */
export function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}

/** Settings of the checks of a system. */
export interface SystemContext {
  readonly system: SystemConfig
  readonly configFile: string
  /** `tls_config.ca_file`, if it does not exist: the system has none then. */
  readonly missingCaFile?: string | undefined
  /** Receives the root certificates of the system; undefined: they are not saved. */
  readonly certificateFile?: string | undefined
  /** Pause between two readings of the nodes. */
  readonly readingPauseMs: number
  readonly signal: AbortSignal
}
