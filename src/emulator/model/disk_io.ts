import { type Direction, demand, type Traffic } from './traffic.ts'

/** The purposes of disk I/O, as attribute names end. */
export const PURPOSES = ['Ec', 'Cc', 'Recovery', 'Geo', 'User', 'Xor'] as const
export type Purpose = (typeof PURPOSES)[number]

const BACKGROUND = 31
/** MB/s. The consistency check reads more when there is less client traffic. */
const CHECK_READS = 45

/** MB/s of a purpose, of a node that is not down. */
export function diskBandwidth(traffic: Traffic, purpose: Purpose, direction: Direction): number {
  return BANDWIDTH[purpose](traffic, direction)
}

const BANDWIDTH: Record<Purpose, (traffic: Traffic, direction: Direction) => number> = {
  User: (traffic, direction) => traffic[direction].bandwidth * (direction === 'read' ? 0.8 : 1.6),
  Ec: ({ write }, direction) => write.bandwidth * (direction === 'read' ? 1 : 0.33),
  Geo: ({ write }, direction) => write.bandwidth * (direction === 'read' ? 0.45 : 0.3),
  Xor: ({ write }, direction) => write.bandwidth * (direction === 'read' ? 0.2 : 0.1),
  Cc: ({ state }, direction) =>
    direction === 'read' ? CHECK_READS * Math.max(0, 1.1 - demand(state, BACKGROUND)) : 0.2,
  Recovery: ({ state }, direction) => state.effects.recovery * (direction === 'read' ? 0.7 : 1),
}
