import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../test/support/folders.ts'
import type { SystemReport } from './system_process.ts'

/** A storage system with pools of equal size. */
export interface Fleet {
  readonly pools: number
  readonly nodesPerPool: number
}

/** A compiled exporter that polls an emulated system, each in a process of its own. */
export interface Exporter {
  readonly system: ChildProcess
  readonly pid: number
  readonly url: string
}

const READY_POLL_MS = 100

/** A schedule that begins after the measurement has ended. */
export const NEVER = '0 0 0 31 12 *'

/**
 * Runs a task with an exporter whose pools were all polled once, and ends it. The program must be compiled.
 * @param schedule a cron expression of six fields
 * @param section of the configuration file, in addition
 */
export async function withExporter<T>(
  { pools, nodesPerPool }: Fleet,
  schedule: string,
  task: (exporter: Exporter) => Promise<T>,
  section = '',
): Promise<T> {
  using folder = temporaryFolder()
  const system = fork(new URL('./system_process.ts', import.meta.url), [String(pools), String(nodesPerPool)])
  const children: ChildProcess[] = [system]
  try {
    const [{ url: systemUrl }] = (await once(system, 'message')) as [SystemReport]
    const file = folder.write('sds-exporter.yml', configOf(systemUrl, schedule) + section)
    const flags = ['--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
    const child = spawn(process.execPath, ['dist/main.js', 'serve', `--config.file=${file}`, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    children.push(child)
    const url = await urlOf(child)
    while (!(await fetch(`${url}/-/ready`)).ok) await sleep(READY_POLL_MS)
    return await task({ system, pid: child.pid ?? 0, url })
  } finally {
    for (const child of children.reverse()) await stop(child)
  }
}

const NANOSECONDS = 1e9
const BYTES_PER_KIBIBYTE = 1024

/** User and system time of all threads of a process that run. */
export function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const times = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
  return times.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / NANOSECONDS
}

export function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * BYTES_PER_KIBIBYTE
}

/** Scrapes with gzip. @returns the longest delay of the event loop since the scrape before */
export async function longestDelayMs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'gzip' } })).text()
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000
}

function configOf(url: string, schedule: string): string {
  return `systems:
  - name: bench
    base_url: ${url}
    auth: {username: monitor, password: emulator}
    performance: {source: feed}
poll: {schedule: "${schedule}", max_random_delay: 0s, timeout: 50s, stale_after: 1d}
forecast: {schedule: ""}
providers: {schedule: ""}
limits: {requests_per_second: 1000, max_response_bytes: 256MiB}
`
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

/** Reading continues, so that the pipe does not fill up. */
function urlOf(child: ChildProcess): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const url = /msg=listening.* url=(\S+)/.exec(text)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('close', () => reject(new Error(`the exporter ended:\n${text}`)))
  })
}
