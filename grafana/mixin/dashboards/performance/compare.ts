import { SERIES_COLORS } from '../../colors.ts'
import { type Duration, shifted } from '../../promql/duration.ts'
import type { Expression } from '../../promql/expression.ts'
import type { SizedPanel } from '../../sdk/spec.ts'
import { colored, dashed, timeSeries } from '../../sdk/timeseries.ts'
import { SAMPLE_INTERVAL } from '../common/lines.ts'
import { NO_RECORDED_DATA } from '../common/pool_data.ts'

interface Compared {
  readonly title: string
  readonly about: readonly [string, string, string]
  readonly expr: Expression
  readonly unit: string
  readonly width: number
  readonly decimals?: number
  readonly softMax?: number
}

const AGO: readonly (readonly [name: string, ago: Duration, color: string])[] = [
  ['1 day before', '1d', SERIES_COLORS.dayBefore],
  ['7 days before', '7d', SERIES_COLORS.weekBefore],
]

/** One value over time, with the values of the day and the week before at the same time of day. */
export const compared = ({ expr, ...panel }: Compared): SizedPanel =>
  timeSeries({
    ...panel,
    queries: [{ expr, legend: 'Now' }, ...AGO.map(([legend, ago]) => ({ expr: shifted(expr, ago), legend }))],
    overrides: [colored('Now', SERIES_COLORS.now), ...AGO.map(([legend, , color]) => dashed(legend, color))],
    noValue: NO_RECORDED_DATA,
    interval: SAMPLE_INTERVAL,
  })
