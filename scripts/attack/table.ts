import { cpus } from 'node:os'
import { markdownTable } from '../markdown/markdown.ts'
import { replaceMarked } from '../markdown/marked.ts'
import type { Measurement } from './harness.ts'
import type { Row } from './row.ts'

/** A measured row of the table. */
export interface Result extends Measurement {
  readonly row: Pick<Row, 'name' | 'sent'>
  /** Exceeded limits; empty if the exporter held. */
  readonly problems: readonly string[]
}

const HEAD = [
  'Attack',
  'Longest `/-/healthy`',
  'Scrapes, longest',
  'Memory',
  'Socket buffers',
  'CPU',
  'Polls ok, failed',
  'Log',
  'Result',
]
const WIDTHS = [22, 8, 16, 9, 8, 8, 9, 8]

/** One line for the terminal. */
export function textLine(cells: readonly string[]): string {
  return `${cells.map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0)).join('  ')}\n`
}

export const TEXT_HEAD = textLine([
  'attack',
  'healthy',
  'scrapes',
  'memory',
  'sockets',
  'cpu',
  'polls',
  'log',
  'result',
])

/** Name, figures, and `ok` or `FAILED` with the exceeded limits. */
export function resultCells({ row, measured, note, problems }: Result): string[] {
  const { health, scrapes, memoryMib, socketMib, cpuSeconds, polls, logBytes } = measured
  const verdict = problems.length === 0 ? 'ok' : `FAILED: ${problems.join('; ')}`
  return [
    row.name,
    `${Math.round(health.longestMs)} ms`,
    `${scrapes.answers}/${scrapes.answers + scrapes.problems.length}, ${Math.round(scrapes.longestMs)} ms`,
    `${Math.round(memoryMib)} MiB`,
    `${Math.round(socketMib)} MiB`,
    `${cpuSeconds.toFixed(1)} s`,
    polls === undefined ? '?' : `${polls.ok}, ${polls.failed}`,
    `${Math.ceil(logBytes / 1000)} kB`,
    note === '' ? verdict : `${verdict} (${note})`,
  ]
}

/** Replaces the marked table of a page. @throws if the page has no marks */
export function withTable(page: string, results: readonly Result[]): string {
  const rows = results.map((result) => {
    const [name = '', ...figures] = resultCells(result)
    return [`\`${name}\`: ${result.row.sent}`, ...figures]
  })
  const machine = `Measured with Node.js ${process.versions.node} on ${cpus().length} × ${cpus()[0]?.model}.`
  return replaceMarked(page, 'attacks', `${machine}\n\n${markdownTable(HEAD, rows)}`)
}
