/**
 * Checks that package, image, chart, deployment files and CHANGELOG.md have the version of a tag; in GitHub's workflow,
 * also that CODEOWNERS has the owner of the repository. Exit code 1 if not.
 *
 *   node scripts/release_check.ts v1.2.3
 */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ownerFindings } from './supply_chain/owners.ts'
import { VERSIONED, versionFindings } from './supply_chain/versions.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')
const find = (pattern: string) => globSync(pattern, { cwd: root }).toSorted()
const [tag = ''] = process.argv.slice(2)
const paths = [...VERSIONED.flatMap(({ files }) => find(files)), 'CHANGELOG.md']
const texts = Object.fromEntries(paths.map((path) => [path, read(path)]))
const findings = versionFindings(tag, texts, find)
// Set by GitHub: who owns the repository is known nowhere else.
const account = process.env['GITHUB_REPOSITORY_OWNER']
if (account !== undefined) findings.push(...ownerFindings(read('.github/CODEOWNERS'), account))
for (const finding of findings) process.stderr.write(`${finding}\n`)
if (findings.length === 0) process.stdout.write(`ready for release as ${tag}\n`)
process.exitCode = findings.length === 0 ? 0 : 1
