import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLockfile } from '../generators/licences.ts'
import { stagePackage } from '../package/stage.ts'
import { billOfMaterials, imageComponents, type NodeVersions } from '../supply_chain/image_components.ts'
import { nodeReleaseOf, nodeVersions } from './bills.ts'
import { versionOfPackage } from './deployment.ts'
import { writePackages } from './packages.ts'
import { commitSeconds, output, packTar } from './programs.ts'
import { writeProvenance } from './provenance.ts'
import { executableIn, OWN_PLATFORM, PLATFORMS, type Platform, runtimeFolder } from './runtime.ts'
import { withoutSymbols } from './symbols.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = join(root, 'deploy/packages')
/** Files of npm packages that are not needed to run them. */
const NOT_SHIPPED = /\/(test|tests|benchmarks?|examples?|node_modules)(\/|$)|\.([cm]?ts|map|md)$/
const LICENCE = /\/licen[cs]e[^/]*$/i
const COMPLETIONS = { bash: 'sds-exporter.bash', zsh: '_sds-exporter', fish: 'sds-exporter.fish' }

/**
 * Writes the archives of all platforms, the packages for Linux, their bills of materials and their provenance.
 * @param options `repository` is the URL of the published source
 */
export function writeArchives(
  out: string,
  options: { readonly repository: string; readonly nearest: boolean },
): void {
  const work = mkdtempSync(join(tmpdir(), 'sds-archives-'))
  try {
    const program = join(work, 'program')
    writeProgram(program, options.repository)
    for (const platform of PLATFORMS) {
      const tree = writeArchive(program, platform, { work, out, nearest: options.nearest })
      const [system, architecture = ''] = platform.split('-')
      if (system === 'linux')
        writePackages(tree, architecture, {
          work: join(work, architecture),
          out,
          version: versionOfPackage(),
          homepage: options.repository,
        })
      rmSync(tree, { recursive: true })
    }
    writeProvenance(out, options.repository)
  } finally {
    rmSync(work, { recursive: true })
  }
}

/**
 * Writes what is the same for all platforms into an empty folder: the npm package with its dependencies in `app`,
 * completions, manual page, licences and an example of a configuration.
 */
export function writeProgram(folder: string, repository: string | undefined): void {
  output('npm', ['run', '--silent', 'build'], { cwd: root })
  const app = join(folder, 'app')
  mkdirSync(app, { recursive: true })
  stagePackage(root, app, repository)
  for (const { path, isDevelopment } of readLockfile(readFileSync(join(root, 'package-lock.json'), 'utf8')))
    if (!isDevelopment) cpSync(join(root, path), join(app, path), { recursive: true, filter: isShipped })
  mkdirSync(join(folder, 'completions'))
  for (const [shell, name] of Object.entries(COMPLETIONS)) {
    const script = output(process.execPath, [join(app, 'dist/main.js'), 'completion', shell])
    writeFileSync(join(folder, 'completions', name), script)
  }
  cpSync(join(root, 'docs/sds-exporter.1'), join(folder, 'sds-exporter.1'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(SOURCES, 'sds-exporter.yml'), join(folder, 'sds-exporter.yml'))
}

/** Whether a file or folder of an npm package is shipped. @param path in a folder `node_modules` */
function isShipped(path: string): boolean {
  const inside = path.slice(path.lastIndexOf('/node_modules/') + '/node_modules'.length)
  return LICENCE.test(inside) || !NOT_SHIPPED.test(inside)
}

/**
 * Writes the archive of a platform and its bill of materials.
 * @param program what {@link writeProgram} wrote
 * @param work folder for the content of the archive
 * @param out folder of the archive
 * @returns the folder with the content
 */
export function writeArchive(
  program: string,
  platform: Platform,
  { work, out, nearest = false }: { readonly work: string; readonly out: string; readonly nearest?: boolean },
): string {
  const title = `sds-exporter-${versionOfPackage()}.${platform}`
  const tree = join(work, title)
  cpSync(program, tree, { recursive: true })
  addRuntime(tree, platform, nearest)
  const seconds = commitSeconds()
  output('chmod', ['-R', 'u=rwX,go=rX', tree])
  output('find', [tree, '-exec', 'touch', `--date=@${seconds}`, '{}', '+'])
  mkdirSync(out, { recursive: true })
  if (platform.startsWith('windows-')) zip(join(out, `${title}.zip`), work, title)
  else packTar(join(out, `${title}.tar.gz`), work, title, seconds)
  const components = imageComponents(tree, versionsIn(executableIn(tree)))
  const bill = billOfMaterials(
    { type: 'application', name: 'sds-exporter', version: versionOfPackage() },
    components,
  )
  writeFileSync(join(out, `sds-exporter-${platform}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`)
  return tree
}

/** Adds Node.js with its licences, and what starts the program with it. */
function addRuntime(tree: string, platform: Platform, nearest: boolean): void {
  const executable = executableIn(runtimeFolder(platform, nearest))
  mkdirSync(join(tree, 'bin'))
  writeFileSync(join(tree, 'bin', basename(executable)), withoutSymbols(readFileSync(executable)), {
    mode: 0o755,
  })
  // All platforms have the same licences; the npm package for Windows has none.
  cpSync(join(runtimeFolder('linux-amd64', false), 'LICENSE'), join(tree, 'bin/LICENSE'))
  const starters = platform.startsWith('windows-')
    ? ['sds-exporter.cmd', 'sds-exporter-service.xml']
    : ['sds-exporter']
  for (const name of starters) cpSync(join(SOURCES, name), join(tree, name))
}

/** The versions in an executable: all parts for the release that this machine can run, otherwise that of Node.js. */
function versionsIn(executable: string): NodeVersions {
  const versions = nodeVersions(executableIn(runtimeFolder(OWN_PLATFORM, false)))
  const node = nodeReleaseOf(executable)
  return node === versions['node'] ? versions : { node }
}

function zip(file: string, folder: string, title: string): void {
  rmSync(file, { force: true })
  output('python3', ['-m', 'zipfile', '--create', file, `${title}/`], { cwd: folder, env: { TZ: 'UTC' } })
}
