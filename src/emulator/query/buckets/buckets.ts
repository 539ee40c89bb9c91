import type { Bucket } from '../points/series.ts'
import { MONITORING_MAIN } from './main.ts'
import { MONITORING_OP } from './op.ts'
import { MONITORING_VDC } from './vdc.ts'

const EMPTY: Bucket = { retentionSeconds: 0, delaySeconds: 0, series: () => [] }

/** The buckets, by name. The last two exist on real systems and have no points here. */
export const BUCKETS: ReadonlyMap<string, Bucket> = new Map([
  ['monitoring_op', MONITORING_OP],
  ['monitoring_main', MONITORING_MAIN],
  ['monitoring_vdc', MONITORING_VDC],
  ['monitoring_last', EMPTY],
  ['monitoring_meta', EMPTY],
])
