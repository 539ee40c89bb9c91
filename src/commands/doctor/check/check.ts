/** How a check ended. `info` is worth knowing and asks for nothing; `skip` could not be tried. */
export type Status = 'ok' | 'info' | 'warn' | 'fail' | 'skip'

/** One line of the report. */
export interface Finding {
  readonly status: Status
  /** What it is about, where a check looks at several things: a base URL, a pool. */
  readonly subject?: string
  readonly text: string
  readonly remedy?: string
}

/** What a check found, and what later checks may build upon. */
export interface CheckOutcome<Facts> {
  readonly findings: readonly Finding[]
  readonly facts?: Partial<Facts>
}

/** One row of a table of checks. */
export interface Check<Context, Facts> {
  readonly title: string
  /** Facts without which it cannot be tried. */
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

/** Makes rows whose `run` can take no fact but those that it needs. */
export function checksOf<Context, Facts>() {
  return <Need extends keyof Facts = never>(row: Row<Context, Facts, Need>): Check<Context, Facts> => row
}

export interface Running<Facts> {
  /** The title of the check that gives a fact. */
  readonly givenBy: Readonly<Record<keyof Facts, string>>
  readonly signal: AbortSignal
  readonly onCheck: (title: string) => void
}

/** Something that a check ran into and that has a remedy. */
export class Trouble extends Error {
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.name = 'Trouble'
    this.remedy = remedy
  }
}

/** Runs a table of checks, each with what those before it found. A check that fails stops only those that need it. */
export async function runChecks<Context, Facts>(
  checks: readonly Check<Context, Facts>[],
  context: Context,
  { givenBy, signal, onCheck }: Running<Facts>,
): Promise<{ readonly reports: readonly CheckReport[]; readonly facts: Partial<Facts> }> {
  const reports: CheckReport[] = []
  let facts: Partial<Facts> = {}
  for (const { title, needs, run } of checks) {
    const missing = needs.filter((need) => facts[need] === undefined).map((need) => givenBy[need])
    const findings = signal.aborted
      ? [skipped('the time is over')]
      : missing.map((name) => skipped(`needs ${name}`))
    if (findings.length > 0) {
      reports.push({ title, findings: findings.slice(0, 1) })
      continue
    }
    onCheck(title)
    const outcome = await guarded(() => run(context, facts as Facts), signal)
    facts = { ...facts, ...outcome.facts }
    reports.push({ title, findings: outcome.findings })
  }
  return { reports, facts }
}

const skipped = (why: string): Finding => ({ status: 'skip', text: `skipped: ${why}` })

/** A check that breaks is a finding, too. */
async function guarded<Facts>(
  run: () => Promise<CheckOutcome<Facts>> | CheckOutcome<Facts>,
  signal: AbortSignal,
): Promise<CheckOutcome<Facts>> {
  try {
    return await run()
  } catch (failure) {
    if (signal.aborted) return { findings: [unfinished(signal.reason)] }
    if (failure instanceof Trouble) {
      return { findings: [{ status: 'fail', text: failure.message, remedy: failure.remedy }] }
    }
    const what = failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure)
    const text = `the check itself broke: ${what}`
    return { findings: [{ status: 'fail', text, remedy: 'report this, it is a fault of this program' }] }
  }
}

function unfinished(reason: unknown): Finding {
  const isTime = reason instanceof Error && reason.name === 'TimeoutError'
  return {
    status: 'fail',
    text: isTime ? 'not finished within the time that the doctor takes' : 'interrupted',
    ...(isTime && { remedy: 'try --system=NAME for one system, and see what is slow' }),
  }
}

/** Of several addresses any one will do: while one is good, the others are a loss of safety, not a failure. */
export function eased(findings: readonly Finding[]): Finding[] {
  const isHopeless = findings.every(({ status }) => status === 'fail')
  return findings.map((finding) =>
    finding.status === 'fail' && !isHopeless ? { ...finding, status: 'warn' } : finding,
  )
}
