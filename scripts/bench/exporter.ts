import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from '../../test/support/folders.ts'
import { createMemoryGroup } from '../attack/memory_group.ts'
import type { SystemReport } from './system_process.ts'

/** A storage system with pools of equal size. */
export interface Fleet {
  readonly pools: number
  readonly nodesPerPool: number
  /** Limit of the memory of the exporter, as docs/operations.md recommends it. */
  readonly memoryMib: number
}

/** A compiled exporter that polls an emulated system, each in a process of its own. */
export interface Exporter {
  readonly system: ChildProcess
  readonly pid: number
  readonly url: string
}

interface Settings {
  /** Schedule of the polls, a cron expression of six fields. Default: they begin after the measurement has ended. */
  readonly schedule?: string
  /** Section of the configuration file, in addition. */
  readonly section?: string
}

const READY_POLL_MS = 100

/** Runs a task with an exporter in a control group, whose pools were all polled once, and ends it. The program must be compiled. */
export async function withExporter<T>(
  { pools, nodesPerPool, memoryMib }: Fleet,
  settings: Settings,
  task: (exporter: Exporter) => Promise<T>,
): Promise<T> {
  using folder = temporaryFolder()
  const group = createMemoryGroup(memoryMib)
  const system = fork(new URL('./system_process.ts', import.meta.url), [String(pools), String(nodesPerPool)])
  try {
    const [{ url: systemUrl }] = (await once(system, 'message')) as [SystemReport]
    const file = folder.write('sds-exporter.yml', configOf(systemUrl, settings))
    const flags = ['--web.listen-address=127.0.0.1:0', '--admin.listen-address=', `--config.file=${file}`]
    await using child = await group.start(process.execPath, ['dist/main.js', 'serve', ...flags])
    const [, url = ''] = await child.waitForOutput(/msg=listening.* url=(\S+)/)
    while (!(await fetch(`${url}/-/ready`)).ok) await sleep(READY_POLL_MS)
    return await task({ system, pid: child.pid, url })
  } finally {
    if (system.kill()) await once(system, 'close')
    group.remove()
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

function configOf(url: string, { schedule = '0 0 0 31 12 *', section = '' }: Settings): string {
  return `systems:
  - name: bench
    base_url: ${url}
    auth: {username: monitor, password: emulator}
    performance: {source: feed}
poll: {schedule: "${schedule}", max_random_delay: 0s, timeout: 50s, stale_after: 1d}
forecast: {schedule: ""}
providers: {schedule: ""}
limits: {requests_per_second: 1000, max_response_bytes: 256MiB}
${section}
`
}
