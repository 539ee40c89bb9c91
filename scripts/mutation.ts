/**
 * Mutation testing: changes the code of each folder in one place at a time (a mutant) and runs the tests of its
 * module. A mutant that no test finds survives. Prints the survivors, and writes the scores of whole folders into
 * docs/development.md. Without paths, measures all folders; a path is a folder or one of its files. `--force` measures
 * every mutant again, not only those whose file or tests changed.
 */
import { parseArgs } from 'node:util'
import { FOLDERS, folderOf, mutantsIn, mutate } from './mutation/mutate.ts'
import { report, scoreOf } from './mutation/score.ts'
import { writeScores } from './mutation/table.ts'

const { values, positionals } = parseArgs({
  options: { force: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const paths = positionals.length === 0 ? FOLDERS : positionals.map((path) => path.replace(/\/$/, ''))
const unknown = paths.filter((path) => folderOf(path) === undefined)
if (unknown.length > 0) {
  const known = `${FOLDERS.join(', ')}, or a file of one of them`
  process.stderr.write(`mutation: unknown folder or file ${unknown.join(', ')}; use ${known}\n`)
  process.exit(2)
}
for (const [folder = '', measured] of Map.groupBy(paths, folderOf)) {
  const mutants = await mutate(folder, measured, values.force)
  for (const path of measured) process.stdout.write(report(path, mutantsIn(path, mutants)))
  if (measured.includes(folder)) writeScores(folder, scoreOf(mutants))
}
