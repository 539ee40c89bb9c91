import type { Answer } from './transport.ts'

/** The Date header is cut to whole seconds: on average it is half a second behind the clock of the system. */
const DATE_CUT_MS = 500

/**
 * The system's clock minus ours, in whole seconds; undefined if the answer has no Date header.
 * @param atMs when it answered by our clock, in milliseconds since the epoch
 */
export function clockSkewSeconds({ header }: Pick<Answer, 'header'>, atMs: number): number | undefined {
  const theirsMs = Date.parse(header('date') ?? '') + DATE_CUT_MS
  return Number.isFinite(theirsMs) ? Math.round((theirsMs - atMs) / 1000) : undefined
}
