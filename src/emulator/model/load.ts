import { isDown, type NodeState } from './node_state.ts'
import { mix, smoothNoise, whiteNoise } from './random.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4
const PEAK_HOUR = 14
const WEEKEND_FACTOR = 0.55
const NIGHT_FACTOR = 0.22

/**
 * Relative load of the node: about 0.1 on a Sunday night, about 1 on a weekday afternoon (UTC), exactly 0 when the
 * node is down. `salt` selects the kind of work, so that reads and writes have independent noise.
 */
export function demand(state: NodeState, salt: number): number {
  if (isDown(state)) return 0
  const { node, t } = state
  const key = mix(node.key, salt)
  const noise = 1 + 0.18 * smoothNoise(key, t, HOUR) + 0.05 * whiteNoise(key, t)
  return node.load * weeklyCycle(t) * noise
}

/** The daily and weekly cycle that all nodes share, from about 0.1 to 1. */
function weeklyCycle(t: number): number {
  const hour = (t % DAY) / HOUR
  const day = 0.5 + 0.5 * Math.cos((2 * Math.PI * (hour - PEAK_HOUR)) / 24)
  const weekday = (Math.floor(t / DAY) + FIRST_WEEKDAY) % 7
  const week = weekday === 0 || weekday === 6 ? WEEKEND_FACTOR : 1
  return (NIGHT_FACTOR + (1 - NIGHT_FACTOR) * day) * week
}
