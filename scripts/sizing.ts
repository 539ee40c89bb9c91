/**
 * Measures memory and CPU time of one exporter by number of nodes, and prints the table of docs/operations.md. Builds the
 * program first: without a build, Node.js also needs memory for TypeScript.
 * Takes about four minutes; other programs should not run at the same time.
 *
 *   npm run sizing
 *   npm run sizing -- large     ten systems of 640 nodes, with and without 2,000 namespaces; takes four minutes
 */
import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { markdownTable } from './markdown/markdown.ts'
import { type Figures, type Fleet, measure } from './sizing/measure.ts'

const FLEETS: readonly Fleet[] = [
  { pools: 1, nodesPerPool: 5 },
  { pools: 1, nodesPerPool: 16 },
  { pools: 4, nodesPerPool: 16 },
  { pools: 10, nodesPerPool: 64 },
  { pools: 10, nodesPerPool: 64, namespaces: 2000 },
]
const LARGE: readonly Fleet[] = [
  { systems: 10, pools: 10, nodesPerPool: 64 },
  { systems: 10, pools: 10, nodesPerPool: 64, namespaces: 2000 },
]
const HEAD = [
  'Pools × nodes',
  'Series',
  'Exposition',
  'Compressed',
  'Memory (RSS)',
  'CPU time a poll of all pools',
]

execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
const figures: Figures[] = []
for (const fleet of process.argv.includes('large') ? LARGE : FLEETS) {
  process.stderr.write(`measuring ${nameOf(fleet)} …\n`)
  figures.push(await measure(fleet))
}
process.stdout.write(`Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n\n`)
process.stdout.write(markdownTable(HEAD, figures.map(row)))

function nameOf({ systems, pools, nodesPerPool, namespaces }: Fleet): string {
  const ofSystems = systems === undefined ? '' : `${systems} × `
  const more = namespaces === undefined ? '' : `, ${namespaces} namespaces`
  return `${ofSystems}${pools} × ${nodesPerPool}${more}`
}

function row(one: Figures): string[] {
  return [
    nameOf(one),
    one.series.toLocaleString('en'),
    `${kibibytes(one.expositionBytes)} KiB`,
    `${kibibytes(one.compressedBytes)} KiB`,
    `${Math.round(one.residentBytes / 1024 ** 2)} MiB`,
    `${Math.round(one.cpuSecondsPerPoll * 1000)} ms`,
  ]
}

function kibibytes(bytes: number): string {
  return Math.round(bytes / 1024).toLocaleString('en')
}
