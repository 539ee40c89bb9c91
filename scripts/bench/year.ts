/* biome-ignore-all lint/suspicious/noConsole: a benchmark prints its figures */
/**
 * Measures `backfill` of a year of 8 nodes at five minutes: the resident memory of its process alone, and how fast an
 * emulated system in another process serves the years. Takes about ten minutes and 4 GB of disk.
 *
 *   npm run bench:year [DAYS]
 */
import { execFileSync } from 'node:child_process'
import { runBackfill } from './backfill_process.ts'
import { type Emulated, startEmulated } from './emulator/emulated.ts'

const NODES = 8
const INTERVAL_SECONDS = 300
const DAY_SECONDS = 86_400
const BYTES_PER_MB = 1e6
const GOAL_MB = 300
const DAYS = Number(process.argv[2] ?? 365)
const END = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS
/** Days that are asked when the speed of the emulator is measured. */
const ASKED_DAYS = 30

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
using emulated = await startEmulated(NODES, 'classic')
await measureEmulator(emulated)
await measureBackfill(emulated)

/** Asks for single days of the whole period, twice: the first time until the code is optimized. */
async function measureEmulator(system: Emulated): Promise<void> {
  const days = Array.from({ length: ASKED_DAYS }, (_, index) => Math.ceil(((index + 1) * DAYS) / ASKED_DAYS))
  for (const isMeasured of [false, true]) {
    const before = await system.load()
    let points = 0
    for (const day of days) points += await askDay(system, day)
    const { cpuSeconds } = await system.load()
    const perSecond = Math.round(points / (cpuSeconds - before.cpuSeconds) / 1000)
    if (isMeasured)
      console.log(
        `The emulator serves ${days.length} days of ${DAYS}: ${points} points, ${perSecond} thousand a second of its CPU time`,
      )
  }
}

/** @returns number of points */
async function askDay({ url, pool }: Emulated, daysAgo: number): Promise<number> {
  const start = END - daysAgo * DAY_SECONDS
  const query = `dataType=historical&startTime=${start}&endTime=${start + DAY_SECONDS - 1}&interval=${INTERVAL_SECONDS}`
  const headers = { 'X-SDS-AUTH-TOKEN': 'emulator-monitor' }
  const answer = await fetch(`${url}/dashboard/storagepools/${pool}/nodes?${query}`, { headers })
  return (await answer.text()).split('"t":').length - 1
}

async function measureBackfill({ url }: Emulated): Promise<void> {
  const run = await runBackfill(url, `--from=${END - DAYS * DAY_SECONDS}`, `--to=${END}`)
  console.log(`backfill of ${DAYS} days of ${NODES} nodes: ${run.lastMessage}`)
  console.log(`  ${Math.round(run.seconds)} s, of which ${Math.round(run.cpuSeconds)} s CPU of backfill`)
  console.log(
    `  largest resident memory of backfill: ${Math.round(run.maxResidentBytes / BYTES_PER_MB)} MB (goal: below ${GOAL_MB} MB)`,
  )
}
