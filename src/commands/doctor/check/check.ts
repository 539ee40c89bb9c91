import { ApiError } from '../../../api/errors/errors.ts'
import { exchangeFailure } from '../../../api/http/failures.ts'
import { CommandError } from '../../cli/exit.ts'

/** Result of a check. `info` needs no action; `skip` means that the check could not run. */
export type Status = 'ok' | 'info' | 'warn' | 'fail' | 'skip'

export interface Finding {
  readonly status: Status
  /** The checked item, if a check has several: a base URL, a pool. */
  readonly subject?: string | undefined
  readonly text: string
  readonly remedy?: string | undefined
}

export type FindingRow = readonly [applies: boolean, status: Status, text: string, remedy?: string]

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

/** The findings of a check, and facts for later checks. Facts that are undefined are not known. */
export interface CheckResult<Facts> {
  readonly findings: readonly Finding[]
  readonly facts: { readonly [Name in keyof Facts]?: Facts[Name] | undefined }
}

type Outcome<Facts> = CheckResult<Facts> | readonly Finding[]

export interface Check<Context, Facts, Need extends keyof Facts = keyof Facts> {
  readonly title: string
  /** Facts that it requires. */
  readonly needs: readonly Need[]
  readonly gives?: readonly (keyof Facts)[]
  run(context: Context, facts: Pick<Facts, Need>): Promise<Outcome<Facts>> | Outcome<Facts>
}

export interface CheckReport {
  readonly title: string
  readonly findings: readonly Finding[]
}

/** Defines a check whose `run` has access only to the facts in `needs`. */
export function checksOf<Context, Facts>() {
  return <Need extends keyof Facts = never>(row: Check<Context, Facts, Need>): Check<Context, Facts> => row
}

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

/** Runs checks in order, each with the facts of the checks before it. Checks whose facts are missing are skipped. */
export async function runChecks<Context, Facts>(
  checks: readonly Check<Context, Facts>[],
  context: Context,
  { signal, onCheck }: Running,
): Promise<{ readonly reports: readonly CheckReport[]; readonly facts: CheckResult<Facts>['facts'] }> {
  const reports: CheckReport[] = []
  let known: CheckResult<Facts>['facts'] = {}
  for (const check of checks) {
    const { title } = check
    const missing = check.needs.find((need) => known[need] === undefined)
    if (signal.aborted || missing !== undefined) {
      const provider = checks.find(({ gives = [] }) => gives.some((fact) => fact === missing))?.title
      const interrupted = isTimeLimit(signal) ? 'time limit reached' : 'interrupted'
      const why = signal.aborted ? interrupted : `needs ${provider}`
      reports.push({ title, findings: [{ status: 'skip', text: `skipped: ${why}` }] })
      continue
    }
    onCheck(title)
    const run = async () => check.run(context, known as Facts)
    const outcome = await run().catch((failure) => [failureOf(failure, signal)])
    const { findings, facts } = 'findings' in outcome ? outcome : { findings: outcome, facts: {} }
    known = { ...known, ...facts }
    reports.push({ title, findings })
  }
  return { reports, facts: known }
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
  // Its message has the remedy.
  if (failure instanceof CommandError) return { status, text: failure.message }
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
