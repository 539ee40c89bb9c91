/* biome-ignore-all lint/suspicious/noConsole: a benchmark prints its figures */
/**
 * Measures `backfill` of a year of 8 nodes at five minutes: the resident memory of its process alone, and how fast an
 * emulated system in another process serves the years. Takes about ten minutes and 4 GB of disk.
 *
 *   npm run bench:year [DAYS]
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

const NODES = 8
const INTERVAL_SECONDS = 300
const DAY_SECONDS = 86_400
const KIB_PER_MB = 1e6 / 1024
const GOAL_MB = 300
const DAYS = Number(process.argv[2] ?? 365)
const END = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS

interface Served {
  readonly url: string
  readonly pool: string
}

interface Report {
  readonly maxRssKib: number
  readonly cpuSeconds: number
}

const folder = mkdtempSync(join(tmpdir(), 'sds-exporter-year-'))
const emulator = fork(new URL('./emulator_process.ts', import.meta.url), [String(NODES)])
try {
  const [served] = (await once(emulator, 'message')) as [Served]
  for (const daysAgo of [1, Math.ceil(DAYS / 2), DAYS]) await measureDay(served, daysAgo)
  await measureBackfill(served)
} finally {
  emulator.kill()
  rmSync(folder, { recursive: true, force: true })
}

/** One request for a day. */
async function measureDay({ url, pool }: Served, daysAgo: number): Promise<void> {
  const start = END - daysAgo * DAY_SECONDS
  const query = `dataType=historical&startTime=${start}&endTime=${start + DAY_SECONDS - 1}&interval=${INTERVAL_SECONDS}`
  const began = performance.now()
  const headers = { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' }
  const answer = await fetch(`${url}/dashboard/storagepools/${pool}/nodes?${query}`, { headers })
  const points = (await answer.text()).split('"t":').length - 1
  const seconds = (performance.now() - began) / 1000
  const rate = Math.round(points / seconds / 1000)
  console.log(
    `The emulator serves a day, ${daysAgo} days ago: ${points} points in ${Math.round(seconds * 1000)} ms (${rate} thousand/s)`,
  )
}

async function measureBackfill({ url }: Served): Promise<void> {
  const config = join(folder, 'sds-exporter.yml')
  const auth = 'auth: {token: emulator-monitor}'
  writeFileSync(
    config,
    `systems: [{name: bench, base_url: "${url}", ${auth}}]\nlimits: {requests_per_second: 1000}\n`,
  )
  const range = [`--from=${END - DAYS * DAY_SECONDS}`, `--to=${END}`]
  const command = ['src/main.ts', 'backfill', `--config.file=${config}`, ...range, '--output=-']
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', './bench/report_memory.ts', ...command], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: folder },
  })
  const [messages, report] = await Promise.all([
    text(child.stderr as Readable),
    text(child.stdio[3] as Readable),
  ])
  const seconds = (performance.now() - began) / 1000
  if (child.exitCode !== 0 && child.exitCode !== null) throw new Error(messages)
  const { maxRssKib, cpuSeconds } = JSON.parse(report) as Report
  console.log(`backfill of ${DAYS} days of ${NODES} nodes: ${messages.trim().split('\n').at(-1)}`)
  console.log(`  ${Math.round(seconds)} s, of which ${Math.round(cpuSeconds)} s CPU of backfill`)
  console.log(
    `  largest resident memory of backfill: ${Math.round(maxRssKib / KIB_PER_MB)} MB (goal: below ${GOAL_MB} MB)`,
  )
}
