/**
 * Stops the clock of this process, so that the examples of the documentation do not depend on the time of the run. For
 * `node --import`. Timers and durations are not affected: they use a clock that this does not change.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'

/**
 * A Wednesday at noon (UTC), some seconds after the full minute, so that no schedule is due during the run. A quarter of a
 * second more, because HTTP headers have whole ones, from which the exporter calculates the difference of two clocks.
 */
export const MOMENT_MS = Date.UTC(2026, 2, 11, 12, 0, 20, 250)

const RealDate = Date

function FixedDate(this: unknown, ...args: []): Date | string {
  const date = args.length === 0 ? new RealDate(MOMENT_MS) : new RealDate(...args)
  return new.target === undefined ? date.toString() : date
}
FixedDate.prototype = RealDate.prototype

export function fixClock(): void {
  globalThis.Date = Object.assign(FixedDate, {
    now: () => MOMENT_MS,
    parse: RealDate.parse,
    UTC: RealDate.UTC,
  }) as unknown as DateConstructor
  // Node.js makes this header with the real clock.
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { response: ServerResponse }
    response.setHeader('Date', new RealDate(MOMENT_MS).toUTCString())
  })
}

fixClock()
