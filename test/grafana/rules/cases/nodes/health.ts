import type { AlertCase } from '../case.ts'
import { nodeFlapping, nodeMaintenanceLong, nodeVanished } from './node_changes.ts'
import {
  bothBad,
  nodeBad,
  nodeNotAccessible,
  nodesHealthUnknown,
  nodesSuspect,
  nodesUnavailable,
} from './node_status.ts'

export const healthCases: readonly AlertCase[] = [
  ...nodeBad,
  bothBad,
  ...nodeNotAccessible,
  ...nodesUnavailable,
  ...nodesSuspect,
  ...nodesHealthUnknown,
  ...nodeMaintenanceLong,
  ...nodeFlapping,
  ...nodeVanished,
]
