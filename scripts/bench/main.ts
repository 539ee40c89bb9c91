/* biome-ignore-all lint/suspicious/noConsole: a benchmark prints its figures */
/**
 * Measures the exporter beside other programs that do the same work, and writes the table of docs/performance.md. Where Go
 * or nginx is missing, the table says so. Takes more than half an hour; other programs should not run at the same time.
 *
 *   npm run bench
 *   npm run bench -- --only=polls,history     these rows only: scrapes, polls, history, resources
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseSeconds, REFERENCE } from './comparison/machine_speed.ts'
import { historyRows } from './history_rows.ts'
import { pollRows } from './poll_rows.ts'
import { resourceRows } from './resources.ts'
import { measureScrapes } from './scrapes.ts'
import { type Row, withRows } from './table.ts'

const PAGE = 'docs/performance.md'
const PARTS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  scrapes: measureScrapes,
  polls: pollRows,
  history: historyRows,
  resources: resourceRows,
}

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const names = values.only?.split(',') ?? Object.keys(PARTS)
execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
for (const name of names) {
  const measure = PARTS[name]
  if (measure === undefined) throw new Error(`no part '${name}': use ${Object.keys(PARTS).join(', ')}`)
  const before = await parseSeconds()
  const rows = await measure()
  const after = await parseSeconds()
  // The speed of a virtual machine may change within minutes.
  const slowness = (before + after) / 2 / REFERENCE.seconds
  writeFileSync(PAGE, withRows(readFileSync(PAGE, 'utf8'), rows, slowness))
  console.log(`${name}: JSON.parse of ${REFERENCE.megabytes} MB took ${before} s before and ${after} s after`)
  for (const { part, what, own = '–', reference = '–', referenceTakes = '–', ratio = '–' } of rows)
    console.log([part, what, own, reference, referenceTakes, ratio].join(' | '))
}
console.log(`wrote ${PAGE}; then: npm run generate`)
