/** Worst last. */
export const STATES = ['ok', 'starting', 'warning', 'failing'] as const
/**
 * `ok`: polled, and nothing needs attention. `starting`: not polled yet. `warning`: polled, and something needs
 * attention. `failing`: the last poll failed.
 */
export type State = (typeof STATES)[number]

/** A state with its words. */
export interface StateInWords {
  readonly state: State
  readonly summary: string
}

/** Something that needs attention. Nodes with the same problem are one problem of their pool. */
export interface Problem {
  /** Of an alert: `bad` if it is critical, `notice` if it is for information. */
  readonly severity: 'bad' | 'warning' | 'notice'
  readonly system: string
  readonly pool: string | null
  readonly pool_id: string | null
  readonly text: string
  readonly remedy: string | null
  /** Name of the alert with this condition; null if there is none. */
  readonly alert: string | null
  readonly timestamp_seconds: number | null
}

/** Worst last. `notice` is not a problem, for example a node in maintenance. */
export const SEVERITIES = ['ok', 'notice', 'warning', 'bad'] as const
export type Severity = (typeof SEVERITIES)[number]

export function worstState(states: Iterable<State>): State {
  let worst: State = 'ok'
  for (const state of states) if (STATES.indexOf(state) > STATES.indexOf(worst)) worst = state
  return worst
}
