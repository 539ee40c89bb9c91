import { STATISTICS_INTERVAL_SECONDS } from '../model/node_state.ts'

/** How a request is answered. Faults change it. */
export const SETTINGS = {
  /** Points of the history appear so many seconds after their time. */
  lateSeconds: 0,
  /** Every day of the history lacks the points of its first seconds (UTC). */
  gapSeconds: 0,
  /** Points of the history are not in the order of time, and the first one occurs twice. */
  isUnordered: false,
  /** startTime, endTime and interval have no effect. */
  ignoresRange: false,
  /** An attribute without stored history: its series is a single 0 at the time of the response. */
  withoutHistory: undefined as string | undefined,
  /** Forecasts are served only without `dataType`, or only with `dataType=current`. */
  forecastsOnly: undefined as 'category' | 'current' | undefined,

  /** Points of queries are visible so many seconds later than usual. */
  delaySeconds: 0,
  /** Time between two points of queries. */
  intervalSeconds: STATISTICS_INTERVAL_SECONDS,
  /** Operations of queries that are not allowed although they usually are. */
  refusedOperations: [] as readonly string[],
  /** Refuses queries that return several measurements. */
  refusesCombined: false,
  /** Answers queries that return several measurements without rows. */
  emptiesCombined: false,
  /** A measurement of which all queries fail with an internal error. */
  failingMeasurement: undefined as string | undefined,
  /** Refuses absolute times in `range`. */
  refusesAbsolute: false,

  /** Pages of a list after the first one fail. */
  failsAfterFirstPage: false,
  /** The second page of a list refers to itself as the next one. */
  repeatsMarker: false,
  license: 'valid' as 'valid' | 'expiring' | 'expired',
  /** Directory tables that are not ready. */
  unreadyTables: 0,
}
export type Settings = Readonly<typeof SETTINGS>
