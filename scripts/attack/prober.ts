/**
 * A thread of its own that requests `/-/healthy` and `/metrics` while another thread attacks. After any message it sends the
 * longest times.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { request } from './clients.ts'
import type { Target } from './row.ts'

/** Requests of one path during an attack. */
export interface Probed {
  readonly longestMs: number
  /** The first status other than 200, or error. */
  readonly problem: string | undefined
}

const HEALTH_INTERVAL_MS = 50
const SCRAPE_INTERVAL_MS = 1000
const TIMEOUT_MS = 10_000

const { url, headers } = workerData as Pick<Target, 'url' | 'headers'>
const stop = new AbortController()
parentPort?.once('message', () => stop.abort())
const [health, scrapes] = await Promise.all([
  series('/-/healthy', HEALTH_INTERVAL_MS),
  series('/metrics', SCRAPE_INTERVAL_MS),
])
parentPort?.postMessage({ health, scrapes })

/** Each request has a connection of its own. The next one begins after the response, at the earliest after the interval. */
async function series(path: string, intervalMs: number): Promise<Probed> {
  let longestMs = 0
  let problem: string | undefined
  while (!stop.signal.aborted) {
    const began = performance.now()
    const answer = await request(`${url}${path}`, { headers, timeoutMs: TIMEOUT_MS }).catch(String)
    const tookMs = performance.now() - began
    longestMs = Math.max(longestMs, tookMs)
    if (answer !== 200) problem ??= String(answer)
    await sleep(Math.max(0, intervalMs - tookMs))
  }
  return { longestMs, problem }
}
