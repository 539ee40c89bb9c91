/** Worst last. */
export const STATES = ['ok', 'starting', 'warning', 'critical'] as const
/**
 * `ok`: polled, and nothing needs attention. `starting`: not polled yet. `warning`: something needs attention. `critical`:
 * the last poll failed, or a critical alert has this condition.
 */
export type State = (typeof STATES)[number]

export interface StateInWords {
  readonly state: State
  readonly summary: string
}

/** Something that needs attention. Nodes with the same problem are one problem of their pool. */
export interface Problem {
  /** The severity of the alert; `notice` for one for information. */
  readonly severity: 'critical' | 'warning' | 'notice'
  readonly system: string
  readonly pool: string | null
  readonly pool_id: string | null
  readonly text: string
  /** In a few words, e.g. `5 bad disks`. */
  readonly summary: string
  readonly remedy: string
  /** Name of the alert with this condition; null if there is none. */
  readonly alert: string | null
  readonly timestamp_seconds: number | null
}

/** Worst last. `notice` is not a problem, for example a node in maintenance. */
export const SEVERITIES = ['ok', 'notice', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export function worstState(states: Iterable<State>): State {
  let worst: State = 'ok'
  for (const state of states) if (STATES.indexOf(state) > STATES.indexOf(worst)) worst = state
  return worst
}

/** The state of what has these problems. */
export function problemState(problems: readonly Pick<Problem, 'severity'>[]): State {
  if (problems.length === 0) return 'ok'
  return problems.some(({ severity }) => severity === 'critical') ? 'critical' : 'warning'
}
