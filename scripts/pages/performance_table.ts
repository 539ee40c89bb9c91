import { cellsIn } from '../markdown/markdown.ts'
import { findMarked } from '../markdown/marked.ts'

/** The comments around the table of docs/performance.md. */
export const MARK = 'performance'
export const HEAD = [
  '',
  'Measured',
  'sds-exporter',
  'Compared with',
  'It takes',
  'Ratio of CPU times',
  'Goal',
]

/** The cells of each row of the table of docs/performance.md. */
export function rowsIn(page: string): string[][] {
  const lines = findMarked(page, MARK)
    .text.split('\n')
    .filter((line) => /^\| [a-z] \|/.test(line))
  return lines.map(cellsIn)
}
