import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { commitSeconds, nfpmPath, output } from './programs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Writes the .deb and the .rpm of an architecture, as deploy/packages/nfpm.yaml describes them.
 * @param tree content of the archive for Linux
 * @param options `work` is a folder for derived files, `out` that of the packages, `version` of both
 */
export function writePackages(
  tree: string,
  architecture: string,
  options: {
    readonly work: string
    readonly out: string
    readonly version: string
    readonly homepage?: string | undefined
  },
): void {
  const { work, out, version, homepage = '' } = options
  mkdirSync(work, { recursive: true })
  mkdirSync(out, { recursive: true })
  const unit = readFileSync(join(root, 'deploy/systemd/sds-exporter.service'), 'utf8')
  writeFileSync(join(work, 'sds-exporter.service'), unit.replaceAll('/usr/local/bin/', '/usr/bin/'))
  writeFileSync(
    join(work, 'sds-exporter.1.gz'),
    gzipSync(readFileSync(join(tree, 'sds-exporter.1')), { level: 9 }),
  )
  const env = { TREE: tree, WORK: work, ARCH: architecture, VERSION: version, HOMEPAGE: homepage }
  for (const [kind, name] of Object.entries(packageNames(version, architecture))) {
    const what = ['--config=deploy/packages/nfpm.yaml', `--packager=${kind}`, `--target=${join(out, name)}`]
    output(nfpmPath(), ['package', ...what], {
      cwd: root,
      env: { ...env, SOURCE_DATE_EPOCH: commitSeconds() },
    })
  }
}

const RPM_ARCHITECTURES: Readonly<Record<string, string>> = { amd64: 'x86_64', arm64: 'aarch64' }

/** With the version of the release, also where the version of a pre-release has other characters in the package. */
export const packageNames = (version: string, architecture: string) => ({
  deb: `sds-exporter_${version}_${architecture}.deb`,
  rpm: `sds-exporter-${version}-1.${RPM_ARCHITECTURES[architecture]}.rpm`,
})
