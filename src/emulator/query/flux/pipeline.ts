/** A query: `from(bucket: …) |> …`. */
export interface Pipeline {
  readonly bucket: string
  readonly range: FluxRange
  /** The filters before every other operation. */
  readonly filters: readonly Predicate[]
  readonly rest: readonly FluxOperation[]
}

export interface FluxRange {
  readonly start: TimeExpression
  readonly stop: TimeExpression
}

export type FluxOperation =
  | { readonly name: 'filter'; readonly accepts: Predicate }
  | { readonly name: 'last' }
  | { readonly name: 'keep' | 'drop'; readonly columns: readonly string[] }

export type TimeExpression = { readonly relativeSeconds: number } | { readonly absolute: Instant }

/** Seconds since the epoch, and nanoseconds of that second. */
export interface Instant {
  readonly seconds: number
  readonly nanoseconds: number
}

/** Decides by `_field`, `_measurement` and the tags of a series. */
export type Predicate = (columns: Readonly<Record<string, string>>) => boolean

/** Functions of the language that exist and are refused. All other names are compile errors. */
export const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(
  `aggregateWindow bottom buckets columns contains count covariance cumulativeSum derivative difference distinct
   duplicate elapsed fill first group histogram histogramQuantile increase integral join keys keyValues
   kaufmansAMA limit map max mean median min mode movingAverage pivot pearsonr percentile quantile reduce rename
   sample set shift skew sort spread stateCount stateDuration stddev sum tail timeShift to top union unique window
   yield`.split(/\s+/),
)
