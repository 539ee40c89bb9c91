import { isDown, type Moment } from './moment.ts'
import { jitter, mix, wander } from './random.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
/** 1 January 1970 was a Thursday. */
const FIRST_WEEKDAY = 4
const PEAK_HOUR = 14
const WEEKEND = 0.55
const QUIETEST = 0.22

/**
 * How busy the node is: about 0.1 on a Sunday night, about 1 on a working day after lunch (UTC), exactly 0 when
 * the node is down. `salt` tells one kind of work from another: reads do not follow writes to the second.
 */
export function demand(moment: Moment, salt: number): number {
  if (isDown(moment)) return 0
  const { node, t } = moment
  const key = mix(node.key, salt)
  const noise = 1 + 0.18 * wander(key, t, HOUR) + 0.05 * jitter(key, t)
  return node.load * rhythm(t) * noise
}

/** The rhythm of day and week that all nodes share, from about 0.1 to 1. */
function rhythm(t: number): number {
  const hour = (t % DAY) / HOUR
  const day = 0.5 + 0.5 * Math.cos((2 * Math.PI * (hour - PEAK_HOUR)) / 24)
  const weekday = (Math.floor(t / DAY) + FIRST_WEEKDAY) % 7
  const week = weekday === 0 || weekday === 6 ? WEEKEND : 1
  return (QUIETEST + (1 - QUIETEST) * day) * week
}
