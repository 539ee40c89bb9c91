import type { HttpResponse } from './transport.ts'

/** The Date header has whole seconds: on average it is half a second behind the clock of the system. */
const DATE_CUT_MS = 500

/** The system's clock minus ours, in whole seconds; undefined if the response has no Date header. */
export function clockSkewSeconds({ header, answeredAtMs }: HttpResponse): number | undefined {
  const theirsMs = Date.parse(header('date') ?? '') + DATE_CUT_MS
  return Number.isFinite(theirsMs) ? Math.round((theirsMs - answeredAtMs) / 1000) : undefined
}

/** The time of a response by the clock of the system, in seconds since the epoch; by ours without a Date header. */
export function answeredAt(answer: HttpResponse): number {
  return answer.answeredAtMs / 1000 + (clockSkewSeconds(answer) ?? 0)
}
