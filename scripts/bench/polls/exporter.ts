import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** Runs a task with an exporter, which ends with it. The program must be compiled. */
export async function withExporter<T>(fleet: Fleet, task: (exporter: Exporter) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sds-polls-'))
  const { pools, nodesPerPool, schedule } = fleet
  const system = fork(new URL('./system_process.ts', import.meta.url), [String(pools), String(nodesPerPool)])
  const children: ChildProcess[] = [system]
  try {
    const [{ url }] = (await once(system, 'message')) as [SystemReport]
    const file = join(folder, 'sds-exporter.yml')
    writeFileSync(file, configOf(url, schedule))
    const exporter = spawn(
      process.execPath,
      [
        'dist/main.js',
        'serve',
        `--config.file=${file}`,
        '--web.listen-address=127.0.0.1:0',
        '--admin.listen-address=',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    children.push(exporter)
    return await task({ system, pid: exporter.pid ?? 0, url: await urlOf(exporter) })
  } finally {
    for (const child of children.reverse()) await stop(child)
    rmSync(folder, { recursive: true, force: true })
  }
}

const TICKS_PER_SECOND = 100

/** User and system time of all threads of a process, in steps of 10 ms. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function configOf(url: string, schedule: string): string {
  return `systems:
  - name: bench
    base_url: ${url}
    auth: {username: monitor, password: emulator}
    performance: {source: feed}
poll: {schedule: "${schedule}", max_random_delay: 0s, timeout: 50s}
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
