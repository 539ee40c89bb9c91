import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type Manifest, packageManifest, shrinkwrap } from './manifest.ts'

/** Files of the package, as patterns from the root of the repository. README.md is that of this folder. */
const FILES = [
  'dist/**/*.{js,json,css,html,txt}',
  'grafana/{dashboards,provisioning}/**/*.{json,yaml}',
  'deploy/prometheus/**/*.{yml,yaml}',
  'deploy/systemd/*',
  'docs/**/*.{md,json,1}',
  'CHANGELOG.md',
  'LICENSE',
  'SECURITY.md',
] as const
/** Pages for developers of the program. */
const OMITTED = /^docs\/(development\.md$|internals\/)/
const README = 'scripts/package/README.md'

/**
 * Writes the content of the package into an empty folder. `dist` must be built.
 * @param repository URL of the published source; undefined if unknown
 */
export function stagePackage(root: string, folder: string, repository: string | undefined): void {
  const paths = globSync([...FILES], { cwd: root }).filter((path) => !OMITTED.test(path))
  for (const path of paths) copy(join(root, path), join(folder, path))
  copy(join(root, README), join(folder, 'README.md'))
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  writeJson(join(folder, 'package.json'), packageManifest(manifest, lock, repository))
  writeJson(join(folder, 'npm-shrinkwrap.json'), shrinkwrap(lock))
  const source = repository === undefined ? undefined : `${repository}/blob/v${manifest.version}`
  for (const page of globSync('**/*.md', { cwd: folder })) replaceLinks(folder, page, source)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

/** `[text](path)` or `![text](path)`; not a URL or an anchor of the same page. */
const LINK = /!?\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)/g

/** Links to files that the package does not have lead to the published source, or become plain text; pictures too. */
function replaceLinks(folder: string, page: string, source: string | undefined): void {
  const file = join(folder, page)
  const text = readFileSync(file, 'utf8').replaceAll(
    LINK,
    (link, words: string, path: string, anchor = '') => {
      const target = posix.join(posix.dirname(page), path)
      if (existsSync(join(folder, target))) return link
      return source === undefined ? words : `[${words}](${source}/${target}${anchor})`
    },
  )
  writeFileSync(file, text)
}
