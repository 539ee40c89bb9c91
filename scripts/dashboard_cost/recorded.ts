import { RECORDED } from '../../grafana/mixin/promql/metrics.ts'
import { RECORDINGS } from '../../grafana/mixin/rules/groups/recording.ts'
import { DEFAULT_VALUES } from '../../grafana/mixin/settings.ts'
import { resolve } from '../../src/alerting/references.ts'
import type { FleetSeries } from './fleet.ts'
import { prometheusAt } from './prometheus.ts'
import { encodeLabels } from './remote_write.ts'

const DAY_MS = 86_400_000
/** Space of every pool that is used, and that is added each day by the fastest of them. */
const USED_RATIO = 0.5
const GROWTH_PER_DAY = 0.005

/** Used space grows, so that there are trends to calculate. */
const growing = (index: number, time: number): number =>
  USED_RATIO + (((1 + (index % 7)) / 7) * GROWTH_PER_DAY * (time % (100 * DAY_MS))) / DAY_MS

const valueOfRecord = (name: string, value: number, index: number): FleetSeries['valueAt'] => {
  const total = 1e15
  if (name === RECORDED.totalBytes) return () => total
  if (name === RECORDED.allocatedBytes) return (time) => total * growing(index, time)
  if (name === RECORDED.usedRatio) return (time) => growing(index, time)
  if (name.endsWith(':code') || name === RECORDED.disks) return () => value
  return (time) => value * (1 + 0.1 * Math.sin((2 * Math.PI * time) / DAY_MS))
}

/**
 * The series that the recording rules make of what Prometheus has at a time, in seconds: their labels, and values that
 * change over time.
 */
export async function recordedSeries(url: string, time: number): Promise<FleetSeries[]> {
  const prometheus = prometheusAt(url)
  const all: FleetSeries[] = []
  for (const { record, expr } of resolve(RECORDINGS, DEFAULT_VALUES)) {
    const found = await prometheus.instant(expr, time)
    if (found.length === 0) throw new Error(`the rule of ${record} has no result`)
    for (const [index, { labels, points }] of found.entries()) {
      all.push({
        name: record,
        labels: encodeLabels({ ...labels, __name__: record }),
        valueAt: valueOfRecord(record, points[0]?.[1] ?? 0, index),
      })
    }
  }
  return all
}
