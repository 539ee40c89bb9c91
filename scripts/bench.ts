/**
 * Measures the exporter with emulated systems of several sizes, and writes the tables of docs/internals/performance.md
 * and docs/operations.md. Takes about a quarter of an hour; other programs should not run at the same time. Linux only, as
 * root: the exporter runs in a control group. Scrapes are measured beside a handler in Go, if Go is installed.
 *
 *   npm run bench
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Fleet } from './bench/exporter.ts'
import { measurePolls, measurePush, type Push, type Round } from './bench/rounds.ts'
import { type AtRest, measureAtRest, type Scrape } from './bench/scrapes.ts'
import { markdownTable } from './markdown/markdown.ts'
import { replaceMarked } from './markdown/marked.ts'

interface BenchFleet extends Fleet {
  /** Time between rounds of polls, and between pushes: longer than one takes. */
  readonly intervalSeconds: number
  /** Whether scrapes are measured beside Go; one pool of 640 nodes has the exposition of ten of 64. */
  readonly isCompared: boolean
}

interface Figures {
  readonly fleet: BenchFleet
  readonly atRest: AtRest
  readonly scrapes: readonly Scrape[]
  readonly round: Round
  readonly push: Push
}

const FLEETS: readonly BenchFleet[] = [
  { pools: 1, nodesPerPool: 16, intervalSeconds: 5, memoryMib: 512, isCompared: true },
  { pools: 10, nodesPerPool: 64, intervalSeconds: 5, memoryMib: 512, isCompared: true },
  { pools: 1, nodesPerPool: 640, intervalSeconds: 5, memoryMib: 512, isCompared: false },
  { pools: 160, nodesPerPool: 63, intervalSeconds: 10, memoryMib: 1024, isCompared: true },
]

const SCRAPES_HEAD = [
  'Scrape',
  'sds-exporter',
  'a Go HTTP handler serving a pre-rendered response',
  'Ratio of CPU times',
]
const SIZES_HEAD = [
  'Pools × nodes',
  'Series',
  'Exposition',
  'Compressed',
  'Limit of the memory',
  'Memory (RSS) at rest',
  'CPU time of a round of polls with a scrape',
]
const DELAYS_HEAD = ['Pools × nodes', 'Longest delay of the event loop']
const PUSHES_HEAD = [
  'Pools × nodes',
  'Requests of a push',
  'Compressed',
  'CPU time',
  'CPU time of a compressed exposition',
  'Longest delay',
]

const BYTES_PER_KIB = 1024
const BYTES_PER_MIB = 1024 ** 2
const count = (value: number) => Math.round(value).toLocaleString('en')
const nameOf = ({ pools, nodesPerPool }: Fleet) => `${pools} × ${nodesPerPool}`

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
const all: Figures[] = []
for (const fleet of FLEETS) {
  process.stderr.write(`measuring ${nameOf(fleet)} …\n`)
  const figures = await measureAtRest(fleet, fleet.isCompared)
  const round = await measurePolls(fleet, fleet.intervalSeconds)
  all.push({ fleet, ...figures, round, push: await measurePush(fleet, fleet.intervalSeconds) })
}
writeTables()

function writeTables(): void {
  const sizes = markdownTable(SIZES_HEAD, all.map(sizeRow))
  const delays = markdownTable(
    DELAYS_HEAD,
    all.map(({ fleet, round }) => [nameOf(fleet), `${round.longestDelayMs.toFixed(0)} ms`]),
  )
  const scrapes = all.flatMap((figures) => figures.scrapes.map((scrape) => scrapeRow(figures, scrape)))
  const machine = `Last run ${new Date().toISOString().slice(0, 10)}: ${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.versions.node}.`
  const beside =
    scrapes.length === 0
      ? 'Scrapes were not measured: Go is not installed.\n'
      : markdownTable(SCRAPES_HEAD, scrapes)
  const pushes = markdownTable(PUSHES_HEAD, all.map(pushRow))
  const text = blocks(machine, beside, delays, pushes)
  write('docs/internals/performance.md', 'performance', text)
  write('docs/operations.md', 'sizes', blocks(machine, sizes))
  process.stdout.write(blocks(text, sizes))
}

function blocks(...parts: readonly string[]): string {
  return `${parts.map((part) => part.trimEnd()).join('\n\n')}\n`
}

function scrapeRow({ fleet, atRest }: Figures, { encoding, cpuMs, goCpuMs, ratio }: Scrape): string[] {
  const nodes = count(fleet.pools * fleet.nodesPerPool)
  return [
    `${nodes} nodes, ${count(atRest.series)} series, ${encoding}`,
    `${cpuMs.toPrecision(3)} ms CPU`,
    `${goCpuMs.toPrecision(3)} ms CPU`,
    ratio.toFixed(2),
  ]
}

function sizeRow({ fleet, atRest, round }: Figures): string[] {
  return [
    nameOf(fleet),
    count(atRest.series),
    `${count(atRest.expositionBytes / BYTES_PER_KIB)} KiB`,
    `${count(atRest.compressedBytes / BYTES_PER_KIB)} KiB`,
    `${fleet.memoryMib} MiB`,
    `${count(atRest.residentBytes / BYTES_PER_MIB)} MiB`,
    `${round.cpuSeconds.toFixed(2)} s`,
  ]
}

function pushRow({ fleet, atRest, push }: Figures): string[] {
  return [
    nameOf(fleet),
    count(push.requests),
    `${count(push.bytes / BYTES_PER_KIB)} KiB`,
    `${push.cpuSeconds.toFixed(2)} s`,
    `${atRest.compressionCpuSeconds.toFixed(2)} s`,
    `${push.longestDelayMs.toFixed(0)} ms`,
  ]
}

function write(path: string, name: string, text: string): void {
  writeFileSync(path, replaceMarked(path, readFileSync(path, 'utf8'), name, text))
}
