// An hour of faults, reloads and scrapes at ten times the normal pace: does the exporter stay as small as it was?
//
//   npx node scripts/soak.ts --minutes=60 [--systems=5] [--pace=10]
//
// Prints a line a minute, and at the end what memory and descriptors gained in the second half of the run.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Figures, heapMb, processFigures, slopePerHour } from './soak/figures.ts'
import { createPlant } from './soak/plant.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    systems: { type: 'string', default: '5' },
    pace: { type: 'string', default: '10' },
  },
})

/** So many times the pace of the defaults; one that divides the sixty seconds between two polls. */
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
const plant = await createPlant(Number(flags.systems), pace)
writeFileSync(file, plant.config(0))
const { child, url, logged } = await startExporter()
const pid = child.pid ?? 0
// Otherwise a run that is cut short would leave its exporter behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.once('exit', () => child.kill())
const began = performance.now()
const minutes = () => (performance.now() - began) / MS_PER_MINUTE
const counts = { scrapes: 0, failures: 0, slowestMs: 0, reloads: 0 }
const report: Figures[] = []
/** The least that was seen since the last report: what is left after a collection, not what waits for the next. */
let leastHeapMb = Number.POSITIVE_INFINITY

/** The exporter as its users run it, in a process of its own. */
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
  exporter.stderr.setEncoding('utf8').on('data', (text: string) => {
    lines += text.split('\n').length - 1
    const listening = /msg=listening url=(\S+)/.exec(text)?.[1]
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
    const answer = await fetch(`${url}/metrics`, { headers: { accept, 'accept-encoding': encoding } })
    leastHeapMb = Math.min(leastHeapMb, heapMb(await answer.text()))
    if (answer.status !== 200) counts.failures += 1
  } catch {
    counts.failures += 1
  }
  counts.scrapes += 1
  counts.slowestMs = Math.max(counts.slowestMs, performance.now() - start)
}

/** Every third file is a bad one. */
function reload(): void {
  counts.reloads += 1
  writeFileSync(file, counts.reloads % 3 === 0 ? 'systems: [' : plant.config(counts.reloads))
  child.kill('SIGHUP')
}

function look(): void {
  const figures = { minutes: minutes(), heapMb: leastHeapMb, ...processFigures(pid) }
  leastHeapMb = Number.POSITIVE_INFINITY
  report.push(figures)
  const columns = [
    `minute ${figures.minutes.toFixed(1)}`,
    `rss ${figures.rssMb.toFixed(1)} MB`,
    `heap ${figures.heapMb.toFixed(1)} MB`,
    `descriptors ${figures.descriptors}`,
    `scrapes ${counts.scrapes} (${counts.failures} failed, slowest ${counts.slowestMs.toFixed(0)} ms)`,
    `reloads ${counts.reloads}`,
    `requests ${plant.requests()}`,
    `live tokens ${plant.liveSessions()}`,
    `log lines ${logged()}`,
  ]
  process.stdout.write(`${columns.join(', ')}\n`)
}

/** Heals the systems, so that every session can be given back, and ends the exporter. */
async function finish(): Promise<boolean> {
  plant.heal()
  writeFileSync(file, plant.config(0))
  child.kill('SIGHUP')
  await new Promise((resolve) => setTimeout(resolve, RELOAD_MS))
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  const tokens = plant.liveSessions()
  const half = report.slice(Math.floor(report.length / 2))
  const slope = (of: (figures: Figures) => number) => slopePerHour(half, of).toFixed(2)
  process.stdout.write(`
second half, per hour: rss ${slope(({ rssMb }) => rssMb)} MB, heap ${slope((f) => f.heapMb)} MB, descriptors ${slope((f) => f.descriptors)}
exit code ${code}, tokens of logins whose answer was lost ${tokens}, scrapes failed ${counts.failures} of ${counts.scrapes}
`)
  return code === 0 && counts.failures === 0
}

const timers = [
  setInterval(() => void scrape(), SCRAPE_MS),
  setInterval(plant.nextFaults, FAULT_MS),
  setInterval(reload, RELOAD_MS),
  setInterval(look, REPORT_MS),
]
const ended = once(child, 'exit').then(() => 'ended' as const)
const time = new Promise((resolve) => setTimeout(resolve, Number(flags.minutes) * MS_PER_MINUTE))
const outcome = await Promise.race([ended, time])
for (const timer of timers) clearInterval(timer)
if (outcome === 'ended') process.stdout.write('the exporter ended before its time\n')
const isGood = outcome !== 'ended' && (await finish())
await plant.stop()
rmSync(folder, { recursive: true })
process.exitCode = isGood ? 0 : 1
