import { INTERVAL_SECONDS } from './points/grid.ts'

/** How the query interface evaluates queries; faults change it. */
export interface QuerySettings {
  /** Points are visible so many seconds later than usual. */
  readonly delaySeconds: number
  /** Time between two points. */
  readonly intervalSeconds: number
  /** Operations that are not allowed although they usually are. */
  readonly refusedOperations: readonly string[]
  /** Refuses queries that return several measurements. */
  readonly refusesCombined: boolean
  /** Answers queries that return several measurements without rows. */
  readonly emptiesCombined: boolean
  /** A measurement of which all queries fail with an internal error. */
  readonly failingMeasurement: string | undefined
  /** Refuses absolute times in `range`. */
  readonly refusesAbsolute: boolean
}

export const QUERY_SETTINGS: QuerySettings = {
  delaySeconds: 0,
  intervalSeconds: INTERVAL_SECONDS,
  refusedOperations: [],
  refusesCombined: false,
  emptiesCombined: false,
  failingMeasurement: undefined,
  refusesAbsolute: false,
}
