import type { HttpResponse } from './transport.ts'

/** The Date header has whole seconds: on average it is half a second behind the clock of the system. */
const DATE_CUT_MS = 500

/** Smaller differences count as 0: the whole seconds of the header and the time of the response make them vary. */
const LEAST_SKEW_SECONDS = 2

/** The system's clock minus ours, in whole seconds, 0 below two; undefined if the response has no Date header. */
export function clockSkewSeconds({ header, respondedAtMs }: HttpResponse): number | undefined {
  const theirsMs = Date.parse(header('date') ?? '') + DATE_CUT_MS
  if (!Number.isFinite(theirsMs)) return undefined
  const skew = Math.round((theirsMs - respondedAtMs) / 1000)
  return Math.abs(skew) < LEAST_SKEW_SECONDS ? 0 : skew
}

/** The time of a response by the clock of the system, in seconds since the epoch; by ours without a Date header. */
export function respondedAt(response: HttpResponse): number {
  return response.respondedAtMs / 1000 + (clockSkewSeconds(response) ?? 0)
}
