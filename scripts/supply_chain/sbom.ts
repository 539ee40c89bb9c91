/**
 * Prints the software bill of materials of the package as CycloneDX JSON, made by @cyclonedx/cyclonedx-npm from the
 * content of the package and its npm-shrinkwrap.json. It is reproducible: it has neither a time nor a random number.
 *
 *   npm run --silent sbom > sds-exporter-npm.cdx.json
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stagePackage } from '../package/stage.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'sds-sbom-'))
const generator = join(root, 'node_modules/.bin/cyclonedx-npm')
const OPTIONS = [
  '--package-lock-only',
  '--omit=dev',
  '--output-reproducible',
  '--output-format=JSON',
  '--validate',
]
try {
  stagePackage(root, folder, undefined)
  execFileSync(generator, [...OPTIONS, 'package.json'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
} finally {
  rmSync(folder, { recursive: true })
}
