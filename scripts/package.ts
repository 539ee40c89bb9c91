/**
 * Creates the npm package: the compiled program with dashboards, rules, unit files and documentation, a README for its
 * users, and npm-shrinkwrap.json, so that users get the versions of package-lock.json.
 *
 *   npm run package -- [--out=DIR] [--repository=URL]
 *
 * --out          folder of the archive; default: release
 * --repository   where the source is published, such as https://github.com/acme/sds-exporter; without it, the package
 *                names no repository
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { stagePackage } from './package/stage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values } = parseArgs({
  options: { out: { type: 'string', default: 'release' }, repository: { type: 'string' } },
})
const out = resolve(values.out)
const folder = mkdtempSync(join(tmpdir(), 'sds-package-'))
const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
try {
  npm(['run', '--silent', 'build'], root)
  stagePackage(root, folder, values.repository)
  mkdirSync(out, { recursive: true })
  npm(['pack', '--json', '--pack-destination', out], folder)
} finally {
  rmSync(folder, { recursive: true })
}
