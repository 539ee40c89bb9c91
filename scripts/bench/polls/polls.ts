import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SystemReport } from './system_process.ts'

/** A storage system with pools of equal size, and how often one round of polls follows another. */
export interface Fleet {
  readonly pools: number
  readonly nodesPerPool: number
  readonly intervalSeconds: number
}

/** What a round of polls costs the process of the exporter. */
export interface RoundFigures {
  readonly cpuSeconds: number
  readonly parseSeconds: number
  readonly bodyBytes: number
  readonly residentMiB: number
  /** Longest delay of the event loop; undefined without scrapes, because it is read from them. */
  readonly longestDelayMs: number | undefined
}

const ROUNDS = 3
/** Without a request, and with less CPU time than this, the exporter is idle. */
const IDLE_MS = 1500
const IDLE_CPU_SECONDS = 0.02
const TICKS_PER_SECOND = 100
const KIBIBYTES_PER_MIB = 1024

/** @param isScraped whether each round is followed by a scrape with gzip */
export async function measureRounds(fleet: Fleet, isScraped: boolean): Promise<RoundFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'sds-polls-'))
  const { pools, nodesPerPool } = fleet
  const system = fork(new URL('./system_process.ts', import.meta.url), [String(pools), String(nodesPerPool)])
  const children: ChildProcess[] = [system]
  try {
    const [{ url }] = (await once(system, 'message')) as [SystemReport]
    const file = join(folder, 'sds-exporter.yml')
    writeFileSync(file, configOf(url, fleet))
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
    const watched = { system, pid: exporter.pid ?? 0, pools, url: await urlOf(exporter) }
    return await measured(watched, isScraped)
  } finally {
    for (const child of children.reverse()) await stop(child)
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Watched {
  readonly system: ChildProcess
  readonly pid: number
  readonly pools: number
  readonly url: string
}

async function measured(watched: Watched, isScraped: boolean): Promise<RoundFigures> {
  const { pid, pools, system, url } = watched
  // The first rounds compile the code, and show in which form scrapes come.
  for (let round = 0; round < 2; round += 1) {
    await nextRound(watched)
    if (isScraped) await scrape(url)
  }
  await idle(watched)
  const before = { cpu: cpuSeconds(pid), feeds: (await report(system)).feeds }
  const delays: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await nextRound(watched)
    if (isScraped) delays.push(await scrape(url))
  }
  await idle(watched)
  const after = await report(system, 'parse')
  return {
    cpuSeconds: ((cpuSeconds(pid) - before.cpu) * pools) / (after.feeds - before.feeds),
    parseSeconds: after.parseSeconds,
    bodyBytes: after.bodyBytes,
    residentMiB: residentMiB(pid),
    longestDelayMs: isScraped ? Math.max(...delays) : undefined,
  }
}

/** Waits for the end of a round that begins later. */
async function nextRound(watched: Watched): Promise<void> {
  const { feeds } = await report(watched.system)
  while ((await report(watched.system)).feeds === feeds) await sleep(50)
  await idle(watched)
}

async function idle({ system, pid }: Watched): Promise<void> {
  const STEP_MS = 250
  let before = { feeds: -1, cpu: 0 }
  for (let quietMs = 0; quietMs < IDLE_MS; quietMs += STEP_MS) {
    await sleep(STEP_MS)
    const now = { feeds: (await report(system)).feeds, cpu: cpuSeconds(pid) }
    if (now.feeds !== before.feeds || now.cpu - before.cpu > IDLE_CPU_SECONDS) quietMs = 0
    before = now
  }
}

async function report(system: ChildProcess, message = 'count'): Promise<SystemReport> {
  const answer = once(system, 'message')
  system.send(message)
  const [received] = (await answer) as [SystemReport]
  return received
}

/** @returns the longest delay of the event loop since the scrape before, in milliseconds */
async function scrape(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { 'accept-encoding': 'gzip' } })).text()
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1000
}

/** User and system time of all threads of a process. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

function residentMiB(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) / KIBIBYTES_PER_MIB
}

function configOf(url: string, { intervalSeconds }: Fleet): string {
  return `systems:
  - name: bench
    base_url: ${url}
    auth: {username: monitor, password: emulator}
    performance: {source: feed}
poll: {schedule: "*/${intervalSeconds} * * * * *", max_random_delay: 0s, timeout: 50s}
forecast: {schedule: ""}
providers: {schedule: ""}
limits: {requests_per_second: 1000, max_response_bytes: 256MiB}
`
}

async function stop(child: ChildProcess): Promise<void> {
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
