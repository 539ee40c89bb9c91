import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { markdownTable } from '../markdown/markdown.ts'
import { replaceMarked } from '../markdown/marked.ts'
import { HEAD, MARK, rowsIn } from '../pages/performance_table.ts'
import { goalText, type TimedGoal } from './comparison/machine_speed.ts'

/** A row of docs/performance.md. */
export interface Row {
  /** The letter of its part, by which rows are sorted. */
  readonly part: string
  readonly what: string
  readonly own?: string
  readonly reference?: string
  readonly referenceTakes?: string
  /** Of CPU times, the median of alternating pairs. */
  readonly ratio?: string
  readonly goal?: string | TimedGoal
}

/**
 * The page with the rows of the measured parts replaced; those of other parts stay.
 * @param slowness CPU times here, divided by those on the machine where the goals were set
 */
export function withRows(page: string, rows: readonly Row[], slowness: number): string {
  const measured = new Set(rows.map(({ part }) => part))
  const kept = rowsIn(page).filter(([part = '']) => !measured.has(part))
  const all = [...kept, ...rows.map((row) => cells(row, slowness))].sort(([a = ''], [b = '']) =>
    a < b ? -1 : a > b ? 1 : 0,
  )
  return replaceMarked(page, MARK, `${machine()}\n\n${markdownTable(HEAD, all)}`)
}

function cells({ part, what, own, reference, referenceTakes, ratio, goal }: Row, slowness: number): string[] {
  const ofGoal = goal && goalText(goal, slowness)
  return [part, what, own, reference, referenceTakes, ratio, ofGoal].map((cell) => cell ?? '–')
}

function machine(): string {
  const date = new Date().toISOString().slice(0, 10)
  const versions = [`Node.js ${process.versions.node}`, goVersion()].filter((text) => text !== undefined)
  return `Last run ${date}: ${cpus().length} × ${cpus()[0]?.model}, ${versions.join(', ')}.`
}

function goVersion(): string | undefined {
  try {
    const [version] = /go\d[\d.]*/.exec(execFileSync('go', ['version'], { encoding: 'utf8' })) ?? []
    return version?.replace('go', 'Go ')
  } catch {
    return undefined
  }
}

const BYTES_PER_MIB = 1024 ** 2

export const mebibytes = (bytes: number) => `${Math.round(bytes / BYTES_PER_MIB)} MiB`
export const milliseconds = (value: number) => `${value.toFixed(value < 1 ? 3 : value < 100 ? 2 : 0)} ms`
export const seconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} s`
export const ratio = (value: number) => value.toFixed(value < 0.01 ? 4 : value < 0.1 ? 3 : 2)
export const count = (value: number) => value.toLocaleString('en')
