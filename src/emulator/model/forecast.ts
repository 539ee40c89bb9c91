import { FORECAST } from '../../catalogue.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { spaceOf } from './capacity.ts'
import type { StorageModel } from './model.ts'
import { sum } from './random.ts'
import type { Node } from './topology.ts'

export interface Point {
  readonly t: number
  readonly value: number
}

/** Time frames in days, targets in percent of total capacity. */
export interface ForecastRequest {
  readonly frames: readonly number[]
  readonly targets: readonly number[]
}

const MIN_POINTS = 2

/** Least squares through two or more points: the slope per second, and the value of the line at `at`. */
export function regression(points: readonly Point[], at: number) {
  const meanT = mean(points.map((point) => point.t))
  const meanValue = mean(points.map((point) => point.value))
  let covariance = 0
  let variance = 0
  for (const { t, value } of points) {
    covariance += (t - meanT) * (value - meanValue)
    variance += (t - meanT) ** 2
  }
  const slope = covariance / variance
  return { slope, level: meanValue + slope * (at - meanT) }
}

/**
 * One entry of `allocatedCapacityForecast` per time frame and target, text throughout. As the API document says, a downward trend or fewer than two points in
 * *any* requested frame makes *all* entries `N/A`, including targets that are already reached.
 */
export function forecast(model: StorageModel, node: Node, now: number, request: ForecastRequest) {
  const histories = request.frames.map((days) => usedHistory(model, node, now, days * SECONDS_PER_DAY))
  const { allocated, total } = spaceOf(model.stateOf(node, now))
  const days = daysUntil(histories, now, allocated)
  return request.frames.flatMap((history, index) =>
    request.targets.map((target) => {
      const left = days(index, (total * target) / 100)
      return {
        unit: left === undefined ? '' : FORECAST.unit,
        forecast: left === undefined ? FORECAST.notAvailable : String(left),
        history: String(history),
        target: String(target),
      }
    }),
  )
}

/** Whole days until the line of one history reaches a target in bytes; undefined when there is no forecast. */
export function daysUntil(
  histories: readonly (readonly Point[])[],
  now: number,
  used: number,
): (history: number, target: number) => number | undefined {
  const enough = histories.every((points) => points.length >= MIN_POINTS)
  const lines = enough ? histories.map((points) => regression(points, now)) : []
  const isRising = enough && lines.every((line) => line.slope >= 0)
  return (history, target) => {
    const line = lines[history]
    // A node without usable space, as in maintenance, has no target.
    if (!isRising || line === undefined || target === 0) return undefined
    if (used >= target) return 0
    // A flat line never reaches the target.
    if (line.slope === 0) return undefined
    return Math.max(1, Math.ceil((target - line.level) / line.slope / SECONDS_PER_DAY))
  }
}

/** Used capacity, hourly, of the last `frame` seconds, since the node joined. */
function usedHistory(model: StorageModel, node: Node, now: number, frame: number): Point[] {
  const start = Math.max(now - frame, node.joinedAt)
  const points: Point[] = []
  for (
    let t = Math.floor(start / SECONDS_PER_HOUR) * SECONDS_PER_HOUR + SECONDS_PER_HOUR;
    t <= now;
    t += SECONDS_PER_HOUR
  ) {
    points.push({ t, value: spaceOf(model.stateOf(node, t)).allocated })
  }
  return points
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length
}
