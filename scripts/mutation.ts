/**
 * Mutation testing: changes the code of each folder in one place at a time (a mutant) and runs the tests of its
 * module. A mutant that no test finds survives. Prints the survivors, and writes the scores into
 * docs/development.md. Without folders, measures all of them. `--force` measures every mutant again, not only
 * those whose file or tests changed.
 */
import { parseArgs } from 'node:util'
import { FOLDERS, mutate } from './mutation/mutate.ts'
import { report, scoreOf } from './mutation/score.ts'
import { writeScores } from './mutation/table.ts'

const { values, positionals } = parseArgs({
  options: { force: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const folders = positionals.length === 0 ? FOLDERS : positionals.map((folder) => folder.replace(/\/$/, ''))
const unknown = folders.filter((folder) => !FOLDERS.includes(folder))
if (unknown.length > 0) {
  process.stderr.write(`mutation: unknown folder ${unknown.join(', ')}; use ${FOLDERS.join(', ')}\n`)
  process.exit(2)
}
for (const folder of folders) {
  const mutants = await mutate(folder, values.force)
  process.stdout.write(report(folder, mutants))
  writeScores(folder, scoreOf(mutants))
}
