import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Release, withReleasedImage } from '../package/released_image.ts'
import type { Reference } from './index.ts'
import { built, output, packTar } from './programs.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['deploy', 'grafana/dashboards', 'grafana/provisioning', 'grafana/kustomization.yaml', 'docs']
const FILES = ['LICENSE', 'CHANGELOG.md', 'README.md']
const CHART = 'deploy/helm/sds-exporter'

/** The version of package.json. */
export const versionOfPackage = (): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

/**
 * Writes the files of `deploy` and `grafana`, the documentation and the changelog, with the image by digest in the Helm
 * chart, the overlays and the Compose file, and without links.
 */
export function writeDeploymentFiles(folder: string, release: Release): void {
  const options = { cwd: root, encoding: 'utf8' } as const
  const listed = execFileSync('git', ['ls-files', '-z', ...FOLDERS, ...FILES], options)
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    const target = join(folder, path)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(realpathSync(join(root, path)), target)
    const before = readFileSync(target, 'utf8')
    const after = withReleasedImage(path, before, release)
    if (after !== before) writeFileSync(target, after)
  }
}

/**
 * Writes the archive of the deployment files, which has the chart as a package too.
 * @returns the archive, and the chart, which is in the folder `charts`
 */
export function writeDeployment(
  out: string,
  { name, digest }: Reference,
  repository: string,
): { readonly archive: string; readonly chart: string } {
  const version = versionOfPackage()
  const title = `sds-exporter-deploy-${version}`
  const folder = join(out, title)
  writeDeploymentFiles(folder, { image: name, digest, repository })
  const helm = (...args: readonly string[]) => output(built('helm'), args)
  helm('lint', '--strict', join(folder, CHART))
  helm('package', join(folder, CHART), '--destination', join(out, 'charts'))
  const chart = join(out, 'charts', `sds-exporter-${version}.tgz`)
  mkdirSync(join(folder, 'charts'))
  cpSync(chart, join(folder, 'charts', `sds-exporter-${version}.tgz`))
  const archive = join(out, `${title}.tar.gz`)
  packTar(archive, out, title)
  return { archive, chart }
}

/**
 * Pushes a chart to a registry.
 * @param charts registry and folder; without TLS for a registry of this machine
 * @returns the pushed artefact
 */
export function pushChart(chart: string, charts: string): Reference {
  const args = ['push', chart, `oci://${charts}`, ...plainHttp(charts)]
  const text = output(built('helm'), args, { withMessages: true })
  const digest = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(text)?.[1]
  if (digest === undefined) throw new Error(`helm push printed no digest:\n${text}`)
  return { name: `${charts}/sds-exporter`, digest }
}

/** What the pushed chart installs, as YAML. */
export function renderedChart(charts: string, version: string): string {
  const chart = [`oci://${charts}/sds-exporter`, `--version=${version}`, '--kube-version=1.34.0']
  return output(built('helm'), ['template', 'sds-exporter', ...chart, ...plainHttp(charts)])
}

const plainHttp = (place: string): string[] =>
  /^(localhost|127\.0\.0\.1):/.test(place) ? ['--plain-http'] : []
