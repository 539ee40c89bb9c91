import { readFileSync } from 'node:fs'
import { markdownTable } from '../markdown/markdown.ts'
import { pageWith } from './page.ts'
import { HEAD, rowsIn } from './performance_table.ts'

/** The rows of docs/performance.md, each with its cells. */
export function performanceRows(): string[][] {
  return rowsIn(readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8'))
}

/** The cells of the first row whose cells, joined, match. @throws if there is none */
export function rowOf(rows: readonly string[][], pattern: RegExp): string[] {
  const row = rows.find((cells) => pattern.test(cells.join(' | ')))
  if (row === undefined) throw new Error(`docs/performance.md has no row ${pattern}: run npm run bench`)
  return row
}

/** The rows that README.md quotes. */
const QUOTED = [
  /^a \| scrape of 4\d,\d+ samples, identity, 1 connection \|.*ready bytes/,
  /^a \| scrape of 4\d,\d+ samples, gzip, 1 connection \|.*ready bytes/,
  /^b \| round of polls, 10,080 nodes/,
  /^f \| backfill of the query interface/,
]

/** README.md with rows of docs/performance.md, without the goals of the project. */
export function quotedFigures() {
  const rows = performanceRows()
  const quoted = QUOTED.map((pattern) => rowOf(rows, pattern).slice(1, -1))
  return pageWith('README.md', { 'performance rows': markdownTable(HEAD.slice(1, -1), quoted) })
}
