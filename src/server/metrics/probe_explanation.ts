import { logfmt } from '../../log.ts'
import type { Exposition } from '../../metrics/exposition.ts'
import type { PollerStatus } from '../../readings/poller.ts'
import type { LogLine, LogRecording } from '../../readings/reading_log.ts'
import { durationText, visibleLines } from '../../text.ts'

/** Bytes of the metrics; a probe without `debug` returns all of them. */
const MAX_METRICS_BYTES = 1024 * 1024
const MAX_FIELD_CHARACTERS = 1000

interface Explained {
  readonly seconds: number
  readonly recording: LogRecording
  /** Undefined for a system that is no longer polled. */
  readonly status: PollerStatus | undefined
  readonly exposition: Exposition
}

/** What happened during a probe, for people: the parts and their order are those of the blackbox exporter. */
export async function explainProbe(explained: Explained): Promise<string> {
  const { seconds, recording, status, exposition } = explained
  const { lines, omitted } = recording
  const log = lines.map(lineText).join('')
  const rest = omitted === 0 ? '' : `(${omitted} more lines)\n`
  const text = [
    `Logs for the probe, which took ${seconds.toFixed(3)} s, and for other requests to the system meanwhile:\n${log}${rest}`,
    `Metrics that would have been returned:\n${await metricsText(exposition)}`,
    `Configuration of the system:\n${status === undefined ? 'removed\n' : configText(status)}`,
  ].join('\n')
  // Names of the system are for a terminal here, not for a scraper.
  return visibleLines(text)
}

function lineText({ time, level, message, fields }: LogLine): string {
  const short = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.slice(0, MAX_FIELD_CHARACTERS).toWellFormed() : value,
  ])
  return logfmt({ ts: time.toISOString(), level, msg: message, ...Object.fromEntries(short) })
}

async function metricsText(exposition: Exposition): Promise<string> {
  const { pieces } = await exposition.body('identity text')
  const chosen: Buffer[] = []
  let bytes = 0
  for (const piece of pieces) {
    if (bytes >= MAX_METRICS_BYTES) break
    chosen.push(piece)
    bytes += piece.length
  }
  const text = Buffer.concat(chosen).toString()
  if (bytes <= MAX_METRICS_BYTES && chosen.length === pieces.length) return text
  return `${text.slice(0, text.lastIndexOf('\n', MAX_METRICS_BYTES) + 1)}(the rest is left out)\n`
}

/** Without secrets, user names and paths of files. */
function configText({ system }: PollerStatus): string {
  const { name, baseUrls, auth, tls, pools, performance } = system
  const rows = {
    name,
    base_url: baseUrls.join(', '),
    auth: AUTH[auth.kind],
    tls_config: tlsText(tls),
    pools: pools === undefined ? 'discovered' : `${pools.length} configured`,
    'poll.timeout': durationText(system.poll.timeoutMs / 1000),
    'performance.source': performance.source,
    'limits.requests_per_second': system.limits.requestsPerSecond,
  }
  return Object.entries(rows)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')
}

const AUTH = {
  token: 'token',
  token_file: 'token_file',
  login: 'username with password',
  login_file: 'username with password_file',
} as const

/** The keys of `tls_config` that are set. */
function tlsText({
  caFile,
  certFile,
  serverName,
  insecureSkipVerify,
}: PollerStatus['system']['tls']): string {
  const keys = {
    ca_file: caFile,
    'cert_file and key_file': certFile,
    server_name: serverName,
    insecure_skip_verify: insecureSkipVerify || undefined,
  }
  const set = Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [key]))
  return set.join(', ') || 'nothing set'
}
