import { demand } from './load.ts'
import { isDown, type Moment } from './moment.ts'
import { type Direction, rounded, transactionBandwidth } from './traffic.ts'

/** What disks are read and written for, by the ending of the attribute's name. */
export const PURPOSES = ['Ec', 'Cc', 'Recovery', 'Geo', 'User', 'Xor'] as const
export type Purpose = (typeof PURPOSES)[number]

const BACKGROUND = 31
/** The consistency check works when clients do not. In MB/s. */
const CHECK_READS = 45

/** MB/s of one purpose, as served: rounded, so that the total is the sum of what is seen. */
export function diskBandwidth(moment: Moment, direction: Direction, purpose: Purpose): number {
  if (isDown(moment)) return 0
  return rounded(WORK[purpose](moment, direction))
}

/** MB/s of all purposes. */
export function diskBandwidthTotal(moment: Moment, direction: Direction): number {
  const parts = PURPOSES.map((purpose) => diskBandwidth(moment, direction, purpose))
  return rounded(parts.reduce((sum, part) => sum + part, 0))
}

const WORK: Record<Purpose, (moment: Moment, direction: Direction) => number> = {
  User: (moment, direction) => transactionBandwidth(moment, direction) * (direction === 'read' ? 0.8 : 1.6),
  Ec: (moment, direction) => transactionBandwidth(moment, 'write') * (direction === 'read' ? 1 : 0.33),
  Geo: (moment, direction) => transactionBandwidth(moment, 'write') * (direction === 'read' ? 0.45 : 0.3),
  Xor: (moment, direction) => transactionBandwidth(moment, 'write') * (direction === 'read' ? 0.2 : 0.1),
  Cc: (moment, direction) =>
    direction === 'read' ? CHECK_READS * Math.max(0, 1.1 - demand(moment, BACKGROUND)) : 0.2,
  Recovery: ({ effects }, direction) => effects.recovery * (direction === 'read' ? 0.7 : 1),
}
