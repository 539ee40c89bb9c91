import { FORECAST } from '../../catalogue.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../time_units.ts'
import { spaceOf } from './gauges.ts'
import type { StorageModel } from './model.ts'
import { sum } from './random.ts'
import type { Node } from './topology.ts'

/** Time frames in days, targets in percent of total capacity. */
export interface ForecastRequest {
  readonly frames: readonly number[]
  readonly targets: readonly number[]
}

/**
 * One entry of `allocatedCapacityForecast` per time frame and target, text throughout. As the API document says, a
 * downward trend or fewer than two points in *any* requested frame makes *all* entries `N/A`, including targets that are
 * already reached.
 */
export function forecast(model: StorageModel, node: Node, now: number, { frames, targets }: ForecastRequest) {
  const { allocated, total } = spaceOf(model.stateOf(node, now))
  const lines = frames.map((days) => regression(usedHistory(model, node, now, days * SECONDS_PER_DAY), now))
  const isRising = lines.every((line) => line !== undefined && line.slope >= 0)
  return lines.flatMap((line, index) =>
    targets.map((percent) => {
      const target = (total * percent) / 100
      const days = isRising && line !== undefined ? daysUntil(line, allocated, target) : undefined
      return {
        unit: days === undefined ? '' : FORECAST.unit,
        forecast: days === undefined ? FORECAST.notAvailable : String(days),
        history: String(frames[index]),
        target: String(percent),
      }
    }),
  )
}

/** Least squares through two or more points: the slope per second, and the value of the line at `at`. */
function regression(points: readonly Point[], at: number) {
  if (points.length < 2) return undefined
  const meanT = sum(points.map(({ t }) => t)) / points.length
  const meanValue = sum(points.map(({ value }) => value)) / points.length
  const covariance = sum(points.map(({ t, value }) => (t - meanT) * (value - meanValue)))
  const slope = covariance / sum(points.map(({ t }) => (t - meanT) ** 2))
  return { slope, level: meanValue + slope * (at - meanT) }
}

/** Whole days until a rising line reaches a target in bytes; undefined: never. */
function daysUntil(
  { slope, level }: NonNullable<ReturnType<typeof regression>>,
  used: number,
  target: number,
): number | undefined {
  // A node without usable space, as in maintenance, has no target.
  if (target === 0) return undefined
  if (used >= target) return 0
  if (slope === 0) return undefined
  return Math.max(1, Math.ceil((target - level) / slope / SECONDS_PER_DAY))
}

interface Point {
  readonly t: number
  readonly value: number
}

/** Used capacity, hourly, of the last `frame` seconds, since the node joined. */
function usedHistory(model: StorageModel, node: Node, now: number, frame: number): Point[] {
  const start = Math.max(now - frame, node.joinedAt)
  const points: Point[] = []
  const first = (Math.floor(start / SECONDS_PER_HOUR) + 1) * SECONDS_PER_HOUR
  for (let t = first; t <= now; t += SECONDS_PER_HOUR)
    points.push({ t, value: spaceOf(model.stateOf(node, t)).allocated })
  return points
}
