/**
 * Creates the npm package: the compiled program with dashboards, rules, unit files and documentation, a README for its
 * users, and npm-shrinkwrap.json, so that users get the versions of package-lock.json.
 *
 *   npm run package -- [--out=DIR] [--repository=URL] [--json]
 *
 * --out          folder of the archive; default: release
 * --repository   where the source is published, such as https://github.com/acme/sds-exporter; without it, the package
 *                names no repository
 * --json         prints what npm says of the archive, in place of one line
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bytesText } from '../src/text.ts'
import { stagePackage } from './package/stage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    repository: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const out = resolve(values.out)
const folder = mkdtempSync(join(tmpdir(), 'sds-package-'))
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
try {
  npm(['run', '--silent', 'build'], root)
  stagePackage(root, folder, values.repository)
  mkdirSync(out, { recursive: true })
  const answer = npm(['pack', '--json', '--pack-destination', out], folder)
  // npm prints an array, or since version 12 an object by the names of the packages.
  const [{ filename, size }] = Object.values(JSON.parse(answer)) as [{ filename: string; size: number }]
  const summary = `wrote ${join(values.out, basename(filename))} (${bytesText(size)})\n`
  process.stdout.write(values.json ? answer : summary)
} finally {
  rmSync(folder, { recursive: true })
}
