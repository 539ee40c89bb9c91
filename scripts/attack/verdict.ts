import type { Probed, RequestCounts } from './probing.ts'
import type { Stopped } from './processes.ts'

/** What was measured during one attack. */
export interface Measured extends Probed {
  /** How the process ended; undefined if it still runs. */
  readonly end: string | undefined
  /** Highest resident memory. */
  readonly memoryMib: number
  /** Most data in the buffers of its connections, which counts as memory of its control group. */
  readonly socketMib: number
  readonly cpuSeconds: number
  /** Its end after SIGTERM, right after the attack. */
  readonly stopped: Stopped
  readonly logBytes: number
  /** Polls of the system that does not attack, by result; undefined if they could not be read. */
  readonly polls: { readonly ok: number; readonly failed: number } | undefined
  /** Limits that the attack itself checks. */
  readonly problems: readonly string[]
}

/** Limits of every attack. */
export interface Limits {
  readonly healthMs: number
  readonly scrapeMs: number
  /** Of the process and its connections together. */
  readonly memoryMib: number
  readonly logBytes: number
  /** From SIGTERM to the end of the process. */
  readonly stopMs: number
}

/** Without the memory limit, which is in the deployment files. */
export const LIMITS: Omit<Limits, 'memoryMib'> = {
  healthMs: 250,
  /** Half of the default scrape_timeout of Prometheus. */
  scrapeMs: 5000,
  logBytes: 1_000_000,
  stopMs: 5000,
}

/** The limits that were exceeded, empty if the exporter held. */
export function judge(measured: Measured, limits: Limits): string[] {
  const { end, memoryMib, socketMib, logBytes, polls, delayMs, problems, stopped } = measured
  const slow = [
    ...tooSlow('/-/healthy', measured.health, limits.healthMs),
    ...tooSlow('/metrics', measured.scrapes, limits.scrapeMs),
  ]
  const isBusy = slow.length > 0 && delayMs > limits.healthMs / 4
  return [
    ...(end === undefined ? [] : [`the process ${end}`]),
    ...slow,
    ...(isBusy ? [`the machine is busy: the prober itself was delayed by ${Math.round(delayMs)} ms`] : []),
    ...(memoryMib + socketMib < limits.memoryMib ? [] : [`memory ${Math.round(memoryMib + socketMib)} MiB`]),
    ...(logBytes < limits.logBytes ? [] : [`${logBytes} bytes of log`]),
    ...pollProblems(polls),
    ...(end === undefined ? stopProblems(stopped, limits) : []),
    ...problems,
  ]
}

function stopProblems({ end, ms }: Stopped, { stopMs }: Limits): string[] {
  return [
    ...(end === 'ended with code 0' ? [] : [`after SIGTERM the process ${end}`]),
    ...(ms <= stopMs ? [] : [`it ended ${(ms / 1000).toFixed(1)} s after SIGTERM`]),
  ]
}

function tooSlow(what: string, { answers, longestMs, problems }: RequestCounts, limitMs: number): string[] {
  const [first] = problems
  return [
    ...(answers > 0 ? [] : [`no answer of ${what}`]),
    ...(first === undefined ? [] : [`${problems.length} requests of ${what} failed (${first})`]),
    ...(longestMs <= limitMs ? [] : [`${what} took ${Math.round(longestMs)} ms`]),
  ]
}

function pollProblems(polls: Measured['polls']): string[] {
  if (polls === undefined) return ['the polls could not be read']
  return [
    ...(polls.ok > 0 ? [] : ['no poll of the other system succeeded']),
    ...(polls.failed === 0 ? [] : [`${polls.failed} polls of the other system failed`]),
  ]
}
