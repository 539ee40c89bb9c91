import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { isDown, type NodeState } from './node_state.ts'
import { mix, smoothNoise, whiteNoise } from './random.ts'

/** 1 January 1970 was a Thursday: the middle of the first weekend is the midnight after the following Saturday. */
const MIDDLE_OF_WEEKEND = 3 * SECONDS_PER_DAY
const WEEK = 7 * SECONDS_PER_DAY
/**
 * Distance from the middle of the weekend. The load changes between these two times: from Friday evening to Saturday
 * morning, and from Sunday evening to Monday morning.
 */
const WEEKEND_BEGINS = 18 * SECONDS_PER_HOUR
const WEEKDAYS_BEGIN = 30 * SECONDS_PER_HOUR
const PEAK_HOUR = 14
const WEEKEND_FACTOR = 0.55
const NIGHT_FACTOR = 0.22
/** How long the load of a node that joined rises. */
const RISE_SECONDS = 12 * SECONDS_PER_HOUR

/**
 * Relative load of the node: about 0.1 on a Sunday night, about 1 on a weekday afternoon (UTC), exactly 0 when the
 * node is down. `salt` selects the kind of work, so that reads and writes have independent noise.
 */
export function demand(state: NodeState, salt: number): number {
  if (isDown(state)) return 0
  const { node, t } = state
  const key = mix(node.key, salt)
  const noise = 1 + 0.18 * smoothNoise(key, t, SECONDS_PER_HOUR) + 0.05 * whiteNoise(key, t)
  return node.load * weeklyCycle(t) * Math.min(1, (t - node.joinedAt) / RISE_SECONDS) * noise
}

/** The daily and weekly cycle that all nodes share, from about 0.1 to 1. */
function weeklyCycle(t: number): number {
  const hour = (t % SECONDS_PER_DAY) / SECONDS_PER_HOUR
  const day = 0.5 + 0.5 * Math.cos((2 * Math.PI * (hour - PEAK_HOUR)) / 24)
  return (NIGHT_FACTOR + (1 - NIGHT_FACTOR) * day) * weekendFactor(t)
}

function weekendFactor(t: number): number {
  const sinceMiddle = (((t - MIDDLE_OF_WEEKEND) % WEEK) + WEEK) % WEEK
  const distance = Math.min(sinceMiddle, WEEK - sinceMiddle)
  const part = Math.min(1, Math.max(0, (distance - WEEKEND_BEGINS) / (WEEKDAYS_BEGIN - WEEKEND_BEGINS)))
  return WEEKEND_FACTOR + (1 - WEEKEND_FACTOR) * (0.5 - 0.5 * Math.cos(Math.PI * part))
}
