import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../../test/support/folders.ts'
import { get } from '../../../test/support/http.ts'
import type { SystemReport } from './system_process.ts'

/** A storage system with pools of equal size, and when they are polled. */
export interface Fleet {
  readonly pools: number
  readonly nodesPerPool: number
  /** A cron expression of six fields. */
  readonly schedule: string
}

/** A compiled exporter that polls an emulated system, each in a process of its own. */
export interface Exporter {
  readonly system: ChildProcess
  readonly pid: number
  readonly url: string
}

/** How an exporter starts that has all pools polled once. */
export interface StartFigures {
  /** From the start of the process to the end of the first complete scrape. */
  readonly startSeconds: number
  /** Resident memory some seconds after the polls, with one scrape. */
  readonly atRestBytes: number
}

/** Runs a task with an exporter, which ends with it. The program must be compiled. */
export async function withExporter<T>(
  fleet: Fleet,
  task: (exporter: Exporter & StartFigures) => Promise<T>,
  isStartMeasured = true,
): Promise<T> {
  using folder = temporaryFolder()
  const { pools, nodesPerPool, schedule } = fleet
  const system = fork(new URL('./system_process.ts', import.meta.url), [String(pools), String(nodesPerPool)])
  const children: ChildProcess[] = [system]
  try {
    const [{ url }] = (await once(system, 'message')) as [SystemReport]
    const file = folder.write('sds-exporter.yml', configOf(url, schedule))
    // The first one makes the responses of the system.
    const command = ['serve', `--config.file=${file}`]
    if (isStartMeasured) await stop((await start(command, children)).child)
    const exporter = await start(command, children, isStartMeasured)
    const { child, startSeconds } = exporter
    const pid = child.pid ?? 0
    if (isStartMeasured) await sleep(REST_MS)
    return await task({ system, pid, url: exporter.url, startSeconds, atRestBytes: residentBytes(pid) })
  } finally {
    for (const child of children.reverse()) await stop(child)
  }
}

/** From the start of `demo` to the end of the first complete scrape. The program must be compiled. */
export async function demoStartSeconds(): Promise<number> {
  const { child, startSeconds } = await start(['demo'], [])
  await stop(child)
  return startSeconds
}

const REST_MS = 5000
const POLLED_MS = 10

/**
 * Resolves when all pools are polled.
 * @param isScraped whether a scrape with gzip follows. After one, the exporter compresses every exposition.
 */
async function start(command: readonly string[], children: ChildProcess[], isScraped = true) {
  const began = performance.now()
  const flags = ['--web.listen-address=127.0.0.1:0', '--admin.listen-address=']
  const child = spawn(process.execPath, ['dist/main.js', ...command, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.push(child)
  const url = await urlOf(child)
  while (!(await fetch(`${url}/-/ready`)).ok) await sleep(POLLED_MS)
  // Not decompressed, which is not work of the exporter.
  if (isScraped) await get(`${url}/metrics`, { 'accept-encoding': 'gzip' })
  return { child, url, startSeconds: (performance.now() - began) / 1000 }
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
  if (child.exitCode !== null) return
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
