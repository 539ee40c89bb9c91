/**
 * Writes the deployment files of a release: the files of `deploy` and `grafana`, the documentation and the changelog,
 * with the image by digest in the Helm chart, the overlays and the Compose file, and without links.
 *
 *   node scripts/release_files.ts --out=DIR --image=NAME --digest=sha256:… --repository=URL
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { withReleasedImage } from './package/released_image.ts'

const FOLDERS = ['deploy', 'grafana/dashboards', 'grafana/provisioning', 'grafana/kustomization.yaml', 'docs']
const FILES = ['LICENSE', 'CHANGELOG.md', 'README.md']

const root = fileURLToPath(new URL('..', import.meta.url))
const text = { type: 'string' } as const
const { values } = parseArgs({ options: { out: text, image: text, digest: text, repository: text } })
const { out, image = '', digest = '', repository = '' } = values
if (out === undefined || image === '' || repository === '' || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
  process.stderr.write('release_files: needs --out, --image, --digest=sha256:… and --repository\n')
  process.exitCode = 2
} else {
  writeFiles(resolve(out), { image, digest, repository })
}

function writeFiles(folder: string, release: Parameters<typeof withReleasedImage>[2]): void {
  const listed = execFileSync('git', ['ls-files', '-z', ...FOLDERS, ...FILES], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(realpathSync(join(root, path)), target)
    const before = readFileSync(target, 'utf8')
    const after = withReleasedImage(path, before, release)
    if (after !== before) writeFileSync(target, after)
  }
}
