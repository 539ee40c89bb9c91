import type { Effects, Stage } from './scenarios.ts'
import type { Node } from './topology.ts'

/**
 * One node at one time: what every value is computed from. `t` in epoch seconds.
 *
 * `form` is there for one oddity: free space in the history includes the reserve, current free space does not.
 */
export interface Moment {
  readonly node: Node
  readonly t: number
  readonly form: 'current' | 'historical'
  readonly effects: Effects
  /** Midnight (UTC) of the day on which the scenario began. */
  readonly scenarioDay: number
}

export function momentOf(stage: Stage, node: Node, t: number, form: Moment['form']): Moment {
  const act = stage.actAt(t)
  const effects = act.effects[node.pool.index]?.[node.index]
  if (effects === undefined) throw new Error(`node ${node.name} is not on stage`)
  return { node, t, form, effects, scenarioDay: act.day }
}

/** A node that is not accessible serves nobody. */
export function isDown(moment: Moment): boolean {
  return moment.effects.health === 'NotAccessible'
}
