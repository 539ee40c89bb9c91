import { lineSteps, type PanelSpec } from '../../sdk/spec.ts'
import type { TimeSeriesSpec } from '../../sdk/timeseries.ts'
import { THRESHOLDS } from '../../settings.ts'

/** The axis of shares of failed transactions, which are usually small, with the thresholds as lines. */
export const FAILURE_AXIS = {
  unit: 'percentunit',
  decimals: 2,
  softMax: THRESHOLDS.errorRatio.critical,
  steps: lineSteps(THRESHOLDS.errorRatio),
  limits: true,
} as const satisfies Partial<PanelSpec & TimeSeriesSpec>
