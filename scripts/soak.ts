/**
 * Runs the exporter with faults, reloads and scrapes at a multiple of the default rates, to find leaks of memory,
 * file descriptors and sessions. Prints one line a minute, and at the end the growth in the second half of the run.
 * Exit code 1 if the exporter ended early or with an error, or if a scrape failed. The figures of docs/reliability.md are
 * from this script.
 *
 *   npx node scripts/soak.ts [--minutes=60] [--systems=5] [--pace=10]
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { type Figures, heapMb, processFigures, slopePerHour } from './soak/figures.ts'
import { startSystems } from './soak/systems.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    systems: { type: 'string', default: '5' },
    pace: { type: 'string', default: '10' },
  },
})

/** Multiplies the default rates. The poll interval, 60 s / pace, must be a whole number of seconds. */
const pace = Number(flags.pace)
if (!Number.isInteger(60 / pace)) throw new Error('--pace must divide 60')
/** Prometheus scrapes every 15 s by default. */
const SCRAPE_MS = 15_000 / pace
const FAULT_MS = 50_000 / pace
const RELOAD_MS = 200_000 / pace
const REPORT_MS = 60_000
const MS_PER_MINUTE = 60_000

const folder = mkdtempSync(join(tmpdir(), 'sds-soak-'))
const file = join(folder, 'sds-exporter.yml')
const systems = await startSystems(Number(flags.systems), pace)
writeFileSync(file, systems.config(0))
const { child, url, logged } = await startExporter()
const pid = child.pid ?? 0
// Stops the exporter when this script is interrupted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('exit', () => child.kill())
const began = performance.now()
const minutes = () => (performance.now() - began) / MS_PER_MINUTE
const counts = { scrapes: 0, failures: 0, slowestMs: 0, reloads: 0 }
const report: Figures[] = []
/** Minimum since the last report, because the heap is smallest after a garbage collection. */
let minHeapMb = Number.POSITIVE_INFINITY

/** Starts the exporter in a separate process. */
async function startExporter(): Promise<{ child: ChildProcess; url: string; logged: () => number }> {
  const args = [
    'src/main.ts',
    'serve',
    `--config.file=${file}`,
    '--web.listen-address=127.0.0.1:0',
    '--admin.listen-address=',
  ]
  const exporter = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let lines = 0
  const address = Promise.withResolvers<string>()
  createInterface({ input: exporter.stderr }).on('line', (line) => {
    lines += 1
    const listening = /msg=listening url=(\S+)/.exec(line)?.[1]
    if (listening !== undefined) address.resolve(listening)
  })
  exporter.once('exit', (code) => address.reject(new Error(`the exporter ended with code ${code}`)))
  return { child: exporter, url: await address.promise, logged: () => lines }
}

async function scrape(): Promise<void> {
  const start = performance.now()
  const encoding = counts.scrapes % 2 === 0 ? 'gzip' : 'identity'
  const accept = counts.scrapes % 3 === 0 ? 'application/openmetrics-text; version=1.0.0' : 'text/plain'
  try {
    const response = await fetch(`${url}/metrics`, { headers: { accept, 'accept-encoding': encoding } })
    minHeapMb = Math.min(minHeapMb, heapMb(await response.text()))
    if (response.status !== 200) counts.failures += 1
  } catch {
    counts.failures += 1
  }
  counts.scrapes += 1
  counts.slowestMs = Math.max(counts.slowestMs, performance.now() - start)
}

/** Every third configuration is invalid. */
function reload(): void {
  counts.reloads += 1
  writeFileSync(file, counts.reloads % 3 === 0 ? 'systems: [' : systems.config(counts.reloads))
  child.kill('SIGHUP')
}

function measure(): void {
  const figures = { minutes: minutes(), heapMb: minHeapMb, ...processFigures(pid) }
  minHeapMb = Number.POSITIVE_INFINITY
  report.push(figures)
  const columns = [
    `minute ${figures.minutes.toFixed(1)}`,
    `rss ${figures.rssMb.toFixed(1)} MB`,
    `heap ${figures.heapMb.toFixed(1)} MB`,
    `descriptors ${figures.descriptors}`,
    `scrapes ${counts.scrapes} (${counts.failures} failed, slowest ${counts.slowestMs.toFixed(0)} ms)`,
    `reloads ${counts.reloads}`,
    `requests ${systems.requests()}`,
    `live tokens ${systems.liveSessions()}`,
    `log lines ${logged()}`,
  ]
  process.stdout.write(`${columns.join(', ')}\n`)
}

/** Clears all faults, so that the exporter can log out of all sessions, and stops it. */
async function finish(): Promise<boolean> {
  systems.clearFaults()
  writeFileSync(file, systems.config(0))
  child.kill('SIGHUP')
  await new Promise((resolve) => setTimeout(resolve, RELOAD_MS))
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  const tokens = systems.liveSessions()
  const half = report.slice(Math.floor(report.length / 2))
  const slope = (of: (figures: Figures) => number) => slopePerHour(half, of).toFixed(2)
  process.stdout.write(`
second half, per hour: rss ${slope(({ rssMb }) => rssMb)} MB, heap ${slope((f) => f.heapMb)} MB, descriptors ${slope((f) => f.descriptors)}
exit code ${code}, tokens still valid after logout ${tokens}, scrapes failed ${counts.failures} of ${counts.scrapes}
`)
  return code === 0 && counts.failures === 0
}

const timers = [
  setInterval(() => void scrape(), SCRAPE_MS),
  setInterval(systems.nextFaults, FAULT_MS),
  setInterval(reload, RELOAD_MS),
  setInterval(measure, REPORT_MS),
]
const ended = once(child, 'exit').then(() => 'ended' as const)
const time = new Promise((resolve) => setTimeout(resolve, Number(flags.minutes) * MS_PER_MINUTE))
const outcome = await Promise.race([ended, time])
for (const timer of timers) clearInterval(timer)
if (outcome === 'ended') process.stdout.write('the exporter ended early\n')
const isGood = outcome !== 'ended' && (await finish())
await systems.stop()
rmSync(folder, { recursive: true })
process.exitCode = isGood ? 0 : 1
