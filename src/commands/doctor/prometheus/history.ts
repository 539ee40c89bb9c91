import type { HistoryConfig } from '../../../config/config.ts'
import { durationText } from '../../../text.ts'
import type { Finding } from '../check/check.ts'
import { type ScrapeTarget, secondsOf } from './client.ts'

const JOB = 'add the scrape job for /history to Prometheus, see docs/history.md'

/**
 * Whether Prometheus closes gaps from `/history`.
 * @param configuration that of Prometheus, as YAML in its own notation
 */
export function historyFinding(
  { windowMs }: HistoryConfig,
  targets: readonly ScrapeTarget[],
  configuration: string,
): Finding {
  const windowSeconds = windowMs / 1000
  if (!targets.some(({ path }) => path.endsWith('/history'))) {
    const text = 'history.enabled is set, but Prometheus does not scrape /history'
    return { status: 'warn', text, remedy: `${JOB}, or remove history.enabled` }
  }
  const setting = /^\s*out_of_order_time_window: *(\S+)$/m.exec(configuration)?.[1] ?? '0s'
  const allowedSeconds = secondsOf(setting) ?? 0
  const text = `out_of_order_time_window of Prometheus is ${setting}, history.window ${durationText(windowSeconds)}`
  if (allowedSeconds >= windowSeconds) return { status: 'ok', text }
  const remedy = `set storage.tsdb.out_of_order_time_window of Prometheus to at least ${durationText(windowSeconds)}: it refuses older samples, and gaps stay`
  return { status: 'warn', text, remedy }
}
