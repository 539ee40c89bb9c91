/**
 * Sets the version of the next release in all files that name it, and gives the unreleased changes of CHANGELOG.md its
 * number and today's date. Then `npm run generate` writes it into the generated files.
 *
 *   npm run release:version -- 1.2.3
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustBeVersion, WRITTEN, withReleasedChanges, withVersion } from './supply_chain/versions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const [version = ''] = process.argv.slice(2)
const change = (path: string, to: (text: string) => string) => {
  const file = join(root, path)
  writeFileSync(file, to(readFileSync(file, 'utf8')))
}
try {
  mustBeVersion(version)
  const flags = ['--no-git-tag-version', '--allow-same-version', '--ignore-scripts']
  execFileSync('npm', ['version', version, ...flags], { cwd: root, stdio: 'inherit' })
  for (const one of WRITTEN) {
    for (const path of globSync(one.files, { cwd: root }))
      change(path, (text) => withVersion(text, one, version))
  }
  const today = new Date().toISOString().slice(0, 10)
  change('CHANGELOG.md', (text) => withReleasedChanges(text, version, today))
} catch (failure) {
  process.stderr.write(`release_version: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
