/** JSON values of a snapshot, as they are counted against `limits.max_response_bytes`. */
const VALUES_PER_POINT = 5
/** Those of a summary, of the name, and of the two points at the borders that are not used. */
const VALUES_PER_SERIES = 30
/** One JSON value is allowed for so many bytes of the limit. */
const BYTES_PER_VALUE = 32
/** Nodes and errors may be more than the current values show. */
const FILL = 0.7
/** A day of five-minute points: larger responses take systems long. */
const MAX_POINTS = 288

/** The points of each series that fit into a response of limited size. */
export function pointsPerRequest(series: number, maxResponseBytes: number): number {
  const values = (FILL * maxResponseBytes) / BYTES_PER_VALUE / Math.max(series, 1)
  const points = (values - VALUES_PER_SERIES) / VALUES_PER_POINT
  return Math.min(Math.max(Math.floor(points), 1), MAX_POINTS)
}
