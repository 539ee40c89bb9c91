import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The size of the emulated system: pools of equal size. */
export interface Fleet {
  readonly pools: number
  readonly nodesPerPool: number
  /** All of them exported; undefined: the few of the emulator. */
  readonly namespaces?: number
}

/** The resources of one exporter for a fleet. */
export interface Figures extends Fleet {
  readonly series: number
  readonly pageBytes: number
  readonly compressedPageBytes: number
  readonly residentBytes: number
  readonly cpuSecondsPerPoll: number
}

/** Faster than the default schedule, so that half a minute gives an average of several polls. */
const SCHEDULE = '*/3 * * * * *'
const MEASURED_SECONDS = 30
const WARM_UP_SECONDS = 10

/** Runs an emulated system and an exporter as separate processes, and reads the metrics of the exporter. */
export async function measure(fleet: Fleet): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'sds-sizing-'))
  const emulator = start([
    'emulate',
    '--listen-address=127.0.0.1:0',
    `--pools=${fleet.pools}`,
    `--nodes=${fleet.nodesPerPool}`,
    ...(fleet.namespaces === undefined ? [] : [`--namespaces=${fleet.namespaces}`]),
  ])
  const children = [emulator]
  try {
    const system = await readUrl(emulator, /system: (http:\S+)/)
    const file = join(folder, 'sds-exporter.yml')
    writeFileSync(file, configFor(system))
    const exporter = start([
      'serve',
      `--config.file=${file}`,
      '--web.listen-address=127.0.0.1:0',
      '--admin.listen-address=',
    ])
    children.push(exporter)
    return { ...fleet, ...(await figuresOf(await readUrl(exporter, /msg=listening.* url=(\S+)/))) }
  } finally {
    for (const child of children) await stop(child)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function figuresOf(url: string): Promise<Omit<Figures, keyof Fleet>> {
  await sleep(WARM_UP_SECONDS * 1000)
  const before = await scrape(url)
  await sleep(MEASURED_SECONDS * 1000)
  const after = await scrape(url)
  const growth = (name: string) => total(after.page, name) - total(before.page, name)
  const polls = growth('sds_pool_polls_total') / count(after.page, 'sds_pool_up')
  return {
    series: total(after.page, 'sds_exporter_series'),
    pageBytes: Buffer.byteLength(after.page),
    compressedPageBytes: after.compressedBytes,
    residentBytes: total(after.page, 'process_resident_memory_bytes'),
    cpuSecondsPerPoll: growth('process_cpu_seconds_total') / polls,
  }
}

async function scrape(url: string): Promise<{ page: string; compressedBytes: number }> {
  const compressed = await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'gzip' } })
  const compressedBytes = Number(compressed.headers.get('content-length'))
  return { page: await compressed.text(), compressedBytes }
}

function samples(page: string, name: string): number[] {
  const lines = page
    .split('\n')
    .filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)))
  return lines.map((line) => Number(line.slice(line.lastIndexOf(' '))))
}

function total(page: string, name: string): number {
  return samples(page, name).reduce((sum, value) => sum + value, 0)
}

function count(page: string, name: string): number {
  return samples(page, name).length
}

function configFor(url: string): string {
  return `systems:
  - name: sizing
    base_url: ${url}
    auth: {username: monitor, password: emulator}
poll: {schedule: "${SCHEDULE}", max_random_delay: 0s}
limits: {requests_per_second: 1000}
`
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['dist/main.js', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

/** The first match in the output of the process. Reading continues, so that the pipe does not fill up. */
function readUrl(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    const search = (chunk: Buffer) => {
      text += chunk.toString()
      const match = pattern.exec(text)
      if (match?.[1] !== undefined) resolve(match[1])
    }
    child.stdout?.on('data', search)
    child.stderr?.on('data', search)
    child.once('close', () =>
      reject(new Error(`the program ended without output that matches ${pattern}\n${text}`)),
    )
  })
}
