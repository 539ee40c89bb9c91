import { FORECAST } from '../../catalogue.ts'
import type { Node } from './topology.ts'
import type { World } from './world.ts'

/** One entry of `allocatedCapacityForecast` (API document, "Forecast entry"): text throughout. */
export interface ForecastEntry {
  readonly unit: string
  readonly forecast: string
  readonly history: string
  readonly target: string
}

export interface Point {
  readonly t: number
  readonly value: number
}

/** What is asked for: time frames in days, targets in percent of total capacity. */
export interface ForecastRequest {
  readonly frames: readonly number[]
  readonly targets: readonly number[]
}

export interface Line {
  /** Per second. */
  readonly slope: number
  /** Where the line is at the time asked for. */
  readonly level: number
}

const SECONDS_PER_DAY = 86_400
const HOUR = 3_600
const FEWEST_POINTS = 2

/** Least squares through the points; the level is that of the line at `at`. At least two points. */
export function regression(points: readonly Point[], at: number): Line {
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
 * One entry per time frame and target. As the document has it, a downward trend or fewer than two points in
 * *any* specified frame makes *all* of them `N/A`, a reached target included.
 */
export function forecast(world: World, node: Node, now: number, request: ForecastRequest): ForecastEntry[] {
  const histories = request.frames.map((days) => usedHistory(world, node, now, days * SECONDS_PER_DAY))
  const used = world.value('diskSpaceAllocated', node, now, 'current')
  const total = world.value('diskSpaceTotal', node, now, 'current')
  const days = daysUntil(histories, now, used)
  return request.frames.flatMap((history, index) =>
    request.targets.map((target) => entry(days(index, (total * target) / 100), history, target)),
  )
}

/** Whole days until the line of one history reaches a target in bytes; undefined where nothing can be said. */
export function daysUntil(
  histories: readonly (readonly Point[])[],
  now: number,
  used: number,
): (history: number, target: number) => number | undefined {
  const enough = histories.every((points) => points.length >= FEWEST_POINTS)
  const lines = enough ? histories.map((points) => regression(points, now)) : []
  const upward = enough && lines.every((line) => line.slope >= 0)
  return (history, target) => {
    const line = lines[history]
    if (!upward || line === undefined) return undefined
    if (used >= target) return 0
    // A flat line reaches nothing: no number of days would be true.
    if (line.slope === 0) return undefined
    return Math.max(1, Math.ceil((target - line.level) / line.slope / SECONDS_PER_DAY))
  }
}

/** Used capacity, hourly, of the last `frame` seconds, as far back as the node keeps its history. */
function usedHistory(world: World, node: Node, now: number, frame: number): Point[] {
  const start = now - Math.min(frame, node.capacityHistory)
  const points: Point[] = []
  for (let t = Math.floor(start / HOUR) * HOUR + HOUR; t <= now; t += HOUR) {
    points.push({ t, value: world.value('diskSpaceAllocated', node, t, 'historical') })
  }
  return points
}

function entry(days: number | undefined, history: number, target: number): ForecastEntry {
  return {
    unit: days === undefined ? '' : FORECAST.unit,
    forecast: days === undefined ? FORECAST.notAvailable : String(days),
    history: String(history),
    target: String(target),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
