/** The decision about one published advisory. */
export interface Judgement {
  /** `GHSA-xxxx-xxxx-xxxx` */
  readonly advisory: string
  /** The vulnerable package. */
  readonly package: string
  readonly verdict: 'not affected' | 'accepted'
  /** Why the vulnerability has no effect, such as a function that is not used. */
  readonly reason: string
  /** The last day of validity, `YYYY-MM-DD`. */
  readonly until: string
}

/** Decisions about advisories without an update. None at present. */
export const JUDGEMENTS: readonly Judgement[] = []
