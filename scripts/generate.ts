/**
 * Writes the generated files. With `--check` it writes nothing, lists the files that differ, and exits with 1 if there
 * are any. Errors name the file to change.
 *
 *   node scripts/generate.ts [--check]
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { applyDrift, type Drift, findDrift } from './generators/drift.ts'
import { problemsOf } from './generators/problems.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })

try {
  // Rows are checked when their modules are loaded.
  const { GENERATORS } = await import('./generators/registry.ts')
  const drifts = await findDrift(GENERATORS, root)
  if (values.check) check(drifts)
  else write(drifts)
} catch (error) {
  for (const problem of problemsOf(error, root)) process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}

function check(found: readonly Drift[]): void {
  if (found.length === 0) return
  const lines = found.map(({ path, problem }) => `${path}: ${problem}\n`).join('')
  process.stderr.write(`${lines}Update these files with: npm run generate\n`)
  process.exitCode = 1
}

function write(found: readonly Drift[]): void {
  applyDrift(found, root)
  for (const { path, text } of found) {
    process.stdout.write(`${text === undefined ? 'removed' : 'wrote'} ${path}\n`)
  }
  if (found.length === 0) process.stdout.write('all files are up to date\n')
}
