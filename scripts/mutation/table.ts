import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { cellsIn, markdownTable } from '../markdown/markdown.ts'
import { findMarked, replaceMarked } from '../markdown/marked.ts'
import { type Score, scoreRatio } from './score.ts'

const PAGE = 'docs/development.md'
const MARK = 'mutation scores'
const HEAD = ['Folder', 'Score', 'Killed', 'Timed out', 'Survived', 'Not covered', 'Mutants', 'Measured']

/**
 * Writes the row of a folder into docs/development.md, with the date and this machine.
 * @param all the number of mutants that the folder has
 */
export function writeScores(folder: string, score: Score, all: number): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.versions.node}`
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(PAGE, withRow(readFileSync(PAGE, 'utf8'), folder, { ...score, all }, `${date}, ${machine}`))
}

export interface FolderScore extends Score {
  /** Mutants of the folder, measured or not. */
  readonly all: number
}

/** The page with the row of one folder replaced or added; other rows stay. Rows are sorted by folder. */
export function withRow(page: string, folder: string, score: FolderScore, measured: string): string {
  const { text: table } = findMarked(page, MARK)
  const rows = table.split('\n').flatMap((line) => (line.startsWith('| `') ? [cellsIn(line)] : []))
  const others = rows.filter(([name]) => name !== `\`${folder}\``)
  const sorted = [...others, row(folder, score, measured)].sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return replaceMarked(page, MARK, markdownTable(HEAD, sorted))
}

function row(folder: string, score: FolderScore, measured: string): string[] {
  const { killed, timedOut, survived, notCovered, all } = score
  const numbers = [killed, timedOut, survived, notCovered].map(String)
  const ofAll = `${killed + timedOut + survived + notCovered} of ${all.toLocaleString('en')}`
  return [`\`${folder}\``, `${(scoreRatio(score) * 100).toFixed(1)} %`, ...numbers, ofAll, measured]
}
