/** Upper bounds in ms, as real systems name the fields. Each count includes all smaller bounds. */
export const LATENCY_BOUNDS = [
  '0.0',
  '1.0',
  '4.814963904455889',
  '23.183877401213103',
  '111.6295328521717',
  '537.4921713544796',
  '2588.0054039994393',
  '12461.15260479408',
  '59999.999999999985',
  '+Inf',
] as const

/** Latencies of reads to the first byte, and of writes to the last byte. */
export const LATENCY_IDS = ['ttfb_read', 'ttlb_write'] as const

const UPPER = LATENCY_BOUNDS.slice(0, -1).map(Number)
/** The middle of each bucket but the last, in ms. */
const MIDDLES = UPPER.map((upper, index) => (upper + (UPPER[index - 1] ?? 0)) / 2)

/** Relative to the mean: the latencies of parts of the transactions. Parts and mean are exactly 1. */
const SPREAD = [
  { part: 0.3, factor: 0.25 },
  { part: 0.3, factor: 0.5 },
  { part: 0.2, factor: 1 },
  { part: 0.15, factor: 2 },
  { part: 0.05, factor: 5.5 },
] as const

/**
 * Adds transactions to cumulative counts by bound, which begin at `offset`. The mean over the middles of the buckets is
 * exactly `meanMs`: each part is split between the two nearest middles so that its mean is preserved.
 */
export function addLatencies(counts: Float64Array, offset: number, count: number, meanMs: number): void {
  for (const { part, factor } of SPREAD) addPart(counts, offset, count * part, meanMs * factor)
}

function addPart(counts: Float64Array, offset: number, count: number, latencyMs: number): void {
  let upper = 1
  while (upper < MIDDLES.length - 1 && latencyMs > (MIDDLES[upper] ?? 0)) upper++
  const [low = 0, high = 0] = [MIDDLES[upper - 1], MIDDLES[upper]]
  const inUpper = count * Math.min(1, Math.max(0, (latencyMs - low) / (high - low)))
  for (let bound = upper - 1; bound < LATENCY_BOUNDS.length; bound++) {
    const at = offset + bound
    counts[at] = (counts[at] ?? 0) + (bound < upper ? count - inUpper : count)
  }
}

/** A quantile in ms of cumulative counts that begin at `offset`, interpolated within its bucket. */
export function latencyQuantile(all: Float64Array, offset: number, part: number): number {
  const counts = all.subarray(offset, offset + LATENCY_BOUNDS.length)
  const rank = part * (counts.at(-1) ?? 0)
  const bound = counts.findIndex((count) => count >= rank)
  const [before = 0, count = 0] = [counts[bound - 1], counts[bound]]
  const [lower = 0, upper = lower] = [UPPER[bound - 1], UPPER[bound]]
  return count === before ? lower : lower + ((upper - lower) * (rank - before)) / (count - before)
}
