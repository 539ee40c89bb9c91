/** What was decided about one published advisory. */
export interface Judgement {
  /** `GHSA-xxxx-xxxx-xxxx` */
  readonly advisory: string
  /** The package that has the fault. */
  readonly package: string
  readonly verdict: 'not affected' | 'accepted'
  /** Why: which function is not used, or what keeps the fault from harm. */
  readonly reason: string
  /** The day, `YYYY-MM-DD`, after which it must be judged anew. */
  readonly until: string
}

/** Advisories about locked packages that cannot be answered by an update. None at present. */
export const JUDGEMENTS: readonly Judgement[] = []
