import type { Answer } from './transport.ts'

/** The Date header has whole seconds, cut off: in the mean it is half a second behind the clock that wrote it. */
const DATE_CUT_MS = 500

/**
 * The system's clock minus ours, in whole seconds; undefined where the answer tells no time.
 * @param atMs when it answered by our clock, in milliseconds since the epoch
 */
export function clockSkewSeconds({ header }: Pick<Answer, 'header'>, atMs: number): number | undefined {
  const theirsMs = Date.parse(header('date') ?? '') + DATE_CUT_MS
  return Number.isFinite(theirsMs) ? Math.round((theirsMs - atMs) / 1000) : undefined
}
