import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { versionOfPackage } from '../../../scripts/release/deployment.ts'
import type { Reference } from '../../../scripts/release/index.ts'
import { built, output } from '../../../scripts/release/programs.ts'

const PAGE = 'docs/install-release.md'
const root = fileURLToPath(new URL('../../..', import.meta.url))

/** What the page has instead of names of a user. */
const EXAMPLE = { released: 'ghcr.io/OWNER/sds-exporter', own: 'registry.example.net/sds-exporter' }
const VALUES = 'my-values.yaml'

/**
 * Follows docs/install-release.md with the files of a release: they are there, and its commands for a network without the
 * internet work, with another name in the same registry.
 * @param release folder with the files of the release
 * @param folder an empty one
 * @returns what holds, a line each
 * @throws what does not hold
 */
export function* follow(image: Reference, release: string, folder: string): Generator<string> {
  const page = readFileSync(join(root, PAGE), 'utf8')
  mustHaveFiles(page, release)
  yield `the release has the files that ${PAGE} names`
  const [commands] = commandsOf(page, 'kustomize, Compose')
  const [prepare, install] = commandsOf(page, 'Without a network')
  const own = `${image.name}-own`
  const here = join(folder, 'here')
  const there = join(folder, 'there')
  cpSync(release, here, { recursive: true })
  shell(named(prepare, image.name, own), here)
  mkdirSync(there)
  const archive = `sds-exporter-transfer-${versionOfPackage()}.tar.gz`
  cpSync(join(here, archive), join(there, archive))
  writeFileSync(join(there, VALUES), '{}\n')
  mustInstall(shell(named(install, image.name, own), there), `${own}@${image.digest}`)
  yield 'its commands without a network install the image with the same digest'
  mustHavePaths(commands, join(there, unpacked()))
  yield 'the archive has the files of its other commands'
}

const unpacked = (): string => `sds-exporter-deploy-${versionOfPackage()}`

/** The commands of a section. */
function commandsOf(page: string, heading: string): (string | undefined)[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [own = ''] = section.split(/^## /m)
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text)
}

/** Every file of the tables: names in code, without a registry or a folder. */
function mustHaveFiles(page: string, release: string): void {
  const [, table = ''] = page.split('\n## Files of a release\n')
  const rows = table.match(/^\| `.*$/gm) ?? []
  const names = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)])
  const wanted = names.map(([, name = '']) => name.replace('VERSION', versionOfPackage()))
  mustBeSame(wanted, globSync('*', { cwd: release }))
}

function mustBeSame(named: readonly string[], found: readonly string[]): void {
  const missing = named.filter((name) => !found.includes(name))
  if (missing.length > 0) throw new Error(`the release has no ${missing.join(', ')}, which ${PAGE} names`)
  const unnamed = found.filter((name) => !named.includes(name))
  if (unnamed.length > 0) throw new Error(`${PAGE} does not name ${unnamed.join(', ')}`)
}

function mustHavePaths(commands: string | undefined, folder: string): void {
  const paths = commands?.match(/\bdeploy\/\S+/g) ?? []
  const missing = paths.filter((path) => !existsSync(join(folder, path)))
  if (missing.length > 0 || paths.length === 0) throw new Error(`the archive has no ${missing.join(', ')}`)
}

/** @throws unless a rendered chart has this image only */
export function mustInstall(rendered: string, wanted: string): void {
  const images = [...rendered.matchAll(/^\s*image: "?([^"\n]+)"?$/gm)].map(([, found]) => found)
  if (images.length === 0 || images.some((found) => found !== wanted))
    throw new Error(`the chart installs ${images.join(', ') || 'nothing'}, not ${wanted}`)
}

/** Commands with the names of this registry, which render the chart instead of installing it. */
function named(commands = '', released: string, own: string): string {
  return commands
    .replaceAll(EXAMPLE.released, released)
    .replaceAll(EXAMPLE.own, own)
    .replace(/^version=.*$/m, '')
    .replace('helm install', 'helm template --kube-version=1.34.0')
}

/** @returns what the commands print @throws if one of them fails */
function shell(commands: string, cwd: string): string {
  const folders = [dirname(built('crane')), dirname(built('helm')), process.env['PATH']]
  const env = { PATH: folders.join(delimiter), version: versionOfPackage() }
  return output('bash', ['-euo', 'pipefail', '-c', commands], { cwd, env })
}
