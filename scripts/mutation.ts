/**
 * Mutation testing: changes the code in one place at a time (a mutant) and runs the tests of its folder. A mutant that
 * no test finds survives. Prints the survivors, and writes the scores of top-level folders into docs/development.md.
 *
 *   npm run mutation -- --sample=50     50 mutants of each top-level folder of src, always the same ones
 *   npm run mutation -- --all           every mutant
 *   npm run mutation -- PATH…           every mutant of folders or files; `--sample=N`: N of each
 *
 * `--force` measures every mutant again, not only those whose file or tests changed.
 */
import { parseArgs } from 'node:util'
import { errorText } from '../src/values/errors.ts'
import { FOLDERS, folderOf } from './mutation/folders.ts'
import { measuredOf, mutate } from './mutation/mutate.ts'
import { report, scoreOf } from './mutation/score.ts'
import { writeScores } from './mutation/table.ts'

const USAGE = 'usage: npm run mutation -- --sample=N | --all | PATH… [--sample=N] [--force]\n'
const { values, positionals } = parseArgs({
  options: {
    sample: { type: 'string' },
    all: { type: 'boolean' },
    force: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const sample = values.sample === undefined ? undefined : Number(values.sample)
const isWhole = positionals.length === 0
if (isWhole && values.all !== true && sample === undefined) fail(USAGE)
if (sample !== undefined && !(sample > 0)) fail(USAGE)
const paths = isWhole ? FOLDERS : positionals.map((path) => path.replace(/\/$/, ''))
const unknown = paths.filter((path) => folderOf(path) === undefined)
if (unknown.length > 0) fail(`mutation: ${unknown.join(', ')} is no folder of src and no file in one\n`)
for (const path of paths) {
  try {
    const { measured, all } = measuredOf(await mutate(path, { sample, force: values.force }))
    process.stdout.write(report(path, measured))
    if (FOLDERS.includes(path)) writeScores(path, scoreOf(measured), all)
  } catch (failure) {
    process.stderr.write(`mutation: ${path} was not measured: ${errorText(failure)}\n`)
    process.exitCode = 1
  }
}

function fail(text: string): never {
  process.stderr.write(text)
  process.exit(2)
}
