/**
 * Writes the files that are made from the code. With `--check` it writes nothing, lists what differs and ends
 * with exit code 1 if anything does.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Drift, findDrift, mend } from './generators/drift.ts'
import { GENERATORS } from './generators/registry.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const drifts = await findDrift(GENERATORS, root)

if (values.check) check(drifts)
else write(drifts)

function check(found: readonly Drift[]): void {
  if (found.length === 0) return
  const lines = found.map(({ path, problem }) => `${path}: ${problem}\n`).join('')
  process.stderr.write(`${lines}To bring these files up to date: npm run generate\n`)
  process.exitCode = 1
}

function write(found: readonly Drift[]): void {
  mend(found, root)
  for (const { path, text } of found) {
    process.stdout.write(`${text === undefined ? 'removed' : 'wrote'} ${path}\n`)
  }
  if (found.length === 0) process.stdout.write('everything is up to date\n')
}
