/** Result of a check. `info` needs no action; `skip` means that the check could not run. */
export type Status = 'ok' | 'info' | 'warn' | 'fail' | 'skip'

/** One line of the report. */
export interface Finding {
  readonly status: Status
  /** The checked item, if a check has several: a base URL, a pool. */
  readonly subject?: string
  readonly text: string
  readonly remedy?: string
}

/** The findings of a check, and facts for later checks. */
export interface CheckOutcome<Facts> {
  readonly findings: readonly Finding[]
  readonly facts?: Partial<Facts>
}

/** One row of a table of checks. */
export interface Check<Context, Facts> {
  readonly title: string
  /** Facts that it requires. */
  readonly needs: readonly (keyof Facts)[]
  run(context: Context, facts: Facts): Promise<CheckOutcome<Facts>> | CheckOutcome<Facts>
}

export interface CheckReport {
  readonly title: string
  readonly findings: readonly Finding[]
}

type Row<Context, Facts, Need extends keyof Facts> = {
  readonly title: string
  readonly needs: readonly Need[]
  readonly run: (
    context: Context,
    facts: Pick<Facts, Need>,
  ) => Promise<CheckOutcome<Facts>> | CheckOutcome<Facts>
}

/** Defines a check whose `run` has access only to the facts in `needs`. */
export function checksOf<Context, Facts>() {
  return <Need extends keyof Facts = never>(row: Row<Context, Facts, Need>): Check<Context, Facts> => row
}

export interface Running<Facts> {
  /** Title of the check that provides each fact. */
  readonly givenBy: Readonly<Record<keyof Facts, string>>
  readonly signal: AbortSignal
  readonly onCheck: (title: string) => void
}

/** A failure of a check with a remedy. */
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
  { givenBy, signal, onCheck }: Running<Facts>,
): Promise<{ readonly reports: readonly CheckReport[]; readonly facts: Partial<Facts> }> {
  const reports: CheckReport[] = []
  let facts: Partial<Facts> = {}
  for (const { title, needs, run } of checks) {
    const missing = needs.find((need) => facts[need] === undefined)
    const needed = missing === undefined ? undefined : `needs ${givenBy[missing]}`
    const why = signal.aborted ? endText(signal) : needed
    if (why !== undefined) {
      reports.push({ title, findings: [{ status: 'skip', text: `skipped: ${why}` }] })
      continue
    }
    onCheck(title)
    const outcome = await guarded(() => run(context, facts as Facts), signal)
    facts = { ...facts, ...outcome.facts }
    reports.push({ title, findings: outcome.findings })
  }
  return { reports, facts }
}

/** Why the checks ended. */
function endText({ reason }: AbortSignal): string {
  return isTimeLimit(reason) ? 'time limit reached' : 'interrupted'
}

function isTimeLimit(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

/** Converts an exception into a finding. */
async function guarded<Facts>(
  run: () => Promise<CheckOutcome<Facts>> | CheckOutcome<Facts>,
  signal: AbortSignal,
): Promise<CheckOutcome<Facts>> {
  try {
    return await run()
  } catch (failure) {
    if (signal.aborted) return { findings: [unfinished(signal.reason)] }
    if (failure instanceof CheckFailure) {
      return { findings: [{ status: 'fail', text: failure.message, remedy: failure.remedy }] }
    }
    const what = failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure)
    const text = `internal error in this check: ${what}`
    return { findings: [{ status: 'fail', text, remedy: 'report this bug in sds-exporter' }] }
  }
}

function unfinished(reason: unknown): Finding {
  if (!isTimeLimit(reason)) return { status: 'fail', text: 'interrupted' }
  return {
    status: 'fail',
    text: 'not finished within the time limit of all checks',
    remedy: 'use --system=NAME to check a single system',
  }
}

/** Converts failures into warnings if at least one of several equivalent addresses works. */
export function failuresAsWarnings(findings: readonly Finding[]): Finding[] {
  const allFailed = findings.every(({ status }) => status === 'fail')
  return findings.map((finding) =>
    finding.status === 'fail' && !allFailed ? { ...finding, status: 'warn' } : finding,
  )
}
