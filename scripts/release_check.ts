/**
 * Says whether the repository is ready to be released under a tag, `v1.2.3`: the version of the package and of
 * every image that the deployment files name must be that of the tag. Exit code 1 when it is not.
 */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { versionFindings } from './supply_chain/versions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')
const [tag = ''] = process.argv.slice(2)
const overlays = globSync('deploy/kubernetes/overlays/*/kustomization.yaml', { cwd: root })
const findings = versionFindings(
  tag,
  read('package.json'),
  Object.fromEntries(overlays.map((path) => [path, read(path)])),
)
for (const finding of findings) process.stderr.write(`${finding}\n`)
if (findings.length === 0) process.stdout.write(`ready to be released as ${tag}\n`)
process.exitCode = findings.length === 0 ? 0 : 1
