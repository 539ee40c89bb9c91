/**
 * A process of its own that measures the exporter while another one attacks it: `/-/healthy` every 50 ms and the page
 * with the metrics every second, each on a fresh connection. Started by probing.ts.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Probed, ProbeSettings, RequestCounts } from './probing.ts'
import { request } from './requests.ts'

const settings: ProbeSettings = JSON.parse(process.argv[2] ?? '')
const NS_PER_MS = 1_000_000

const stop = new AbortController()
process.once('message', () => stop.abort())
process.once('disconnect', () => process.exit(0))
const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()
process.send?.('measuring')
const [health, scrapes] = await Promise.all([
  series(`${settings.url}/-/healthy`, settings.healthIntervalMs, {}),
  series(`${settings.url}/metrics`, settings.scrapeIntervalMs, settings.headers),
])
delay.disable()
const probed: Probed = { health, scrapes, delayMs: delay.max / NS_PER_MS }
process.send?.(probed, () => process.disconnect())

/** Requests one URL until the stop. The next request begins after the answer, at the earliest after the interval. */
async function series(
  url: string,
  intervalMs: number,
  headers: Readonly<Record<string, string>>,
): Promise<RequestCounts> {
  const result = { answers: 0, longestMs: 0, problems: [] as string[] }
  while (!stop.signal.aborted) {
    const began = performance.now()
    try {
      const { status, ms } = await request(url, { headers, timeoutMs: settings.timeoutMs })
      if (status === 200) result.answers += 1
      else result.problems.push(`status ${status}`)
      result.longestMs = Math.max(result.longestMs, ms)
    } catch (failure) {
      result.problems.push(failure instanceof Error ? failure.message : String(failure))
      result.longestMs = Math.max(result.longestMs, performance.now() - began)
    }
    await sleep(Math.max(0, intervalMs - (performance.now() - began)))
  }
  return result
}
