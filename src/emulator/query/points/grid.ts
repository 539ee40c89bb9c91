import { STATISTICS_INTERVAL_SECONDS } from '../../model/node_state.ts'
import { keyOf, mix } from '../../model/random.ts'
import type { Node } from '../../model/topology.ts'

// Points have numbers: point `k` belongs to the interval of statistics that ends at `k` times its length.

const PHASE = 71
const JITTER = keyOf('jitter')
const MAX_JITTER_SECONDS = 10
/** No point of any kind is later than this after the end of its interval. */
export const MAX_DELAY_SECONDS = STATISTICS_INTERVAL_SECONDS

/** The time of point `k` of a node, in epoch seconds. */
export type Clock = (node: Node, k: number) => number

/** `monitoring_main`: each node has a phase of its own. */
export const mainClock: Clock = (node, k) =>
  k * STATISTICS_INTERVAL_SECONDS + (mix(node.key, PHASE) % STATISTICS_INTERVAL_SECONDS)

/** `monitoring_op`: 1 to 10 s after the end of the interval, different for every node, measurement and point. */
export function opClock(measurement: string): Clock {
  const salt = keyOf(measurement)
  return (node, k) =>
    k * STATISTICS_INTERVAL_SECONDS + 1 + (mix(mix(node.key, salt ^ JITTER), k) % MAX_JITTER_SECONDS)
}
