import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, relative } from 'node:path'
import { installPackages, log, unpackPackage } from './debian.ts'
import { ENGINE, linkOf, TOOLS, TOOLS_FOLDER, type Tool, treeOf, versionArgumentsOf } from './table.ts'

const FONT_PACKAGE = 'fonts-liberation'
const FONT_FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', '/System/Library/Fonts']

/** Provides a tool under its link in the cache. @throws with instructions if it cannot */
export function provide(tool: Tool): void {
  if (existsSync(linkOf(tool))) return
  try {
    link(tool, onPath(tool) ?? fetched(tool))
  } catch (failure) {
    const { commands, atLeast } = TOOLS[tool]
    const otherwise = `or put ${commands[0]} ${atLeast.join('.')} or newer into PATH`
    throw new Error(`${tool} is missing: ${(failure as Error).message}\n${otherwise}`)
  }
}

/** Installs the container engine, if that is possible; the test of the image works without it, but checks less. */
export function provideEngine(): void {
  if (existsSync(ENGINE.path)) return
  log(`installing the Debian package ${ENGINE.package}`)
  try {
    installPackages([ENGINE.package])
  } catch (failure) {
    log(`continuing without ${ENGINE.package}: ${(failure as Error).message}`)
  }
}

/** Installs a font if there is none: without one, Chromium renders no text. */
export function provideFonts(): void {
  if (FONT_FOLDERS.some(hasFont)) return
  log(`installing ${FONT_PACKAGE}, because no font is installed`)
  installPackages([FONT_PACKAGE])
}

/** The path of a program in PATH that is new enough; undefined if there is none. */
function onPath(tool: Tool): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = TOOLS[tool].commands.flatMap((name) => folders.map((folder) => join(folder, name)))
  const found = candidates.find((path) => existsSync(path) && isNewEnough(tool, path))
  if (found !== undefined) log(`${tool} is ${found}`)
  return found
}

function isNewEnough(tool: Tool, path: string): boolean {
  const done = spawnSync(path, versionArgumentsOf(tool), { encoding: 'utf8' })
  const [, major, minor] = /(\d+)\.(\d+)/.exec(`${done.stdout}${done.stderr}`) ?? []
  const [leastMajor, leastMinor] = TOOLS[tool].atLeast
  if (major === undefined || minor === undefined) return false
  return Number(major) > leastMajor || (Number(major) === leastMajor && Number(minor) >= leastMinor)
}

function fetched(tool: Tool): string {
  const { package: name, comes } = TOOLS[tool]
  if (comes === 'installed') {
    log(`installing the Debian package ${name}`)
    installPackages([name, FONT_PACKAGE])
    return existing(tool, '/usr/bin')
  }
  const tree = treeOf(name)
  if (!existsSync(tree)) {
    log(`downloading the Debian package ${name}`)
    unpackPackage(name, tree, (unpacked) => makeRelocatable(name, unpacked))
  }
  return existing(tool, join(tree, 'usr/bin'))
}

function existing(tool: Tool, folder: string): string {
  const found = TOOLS[tool].commands.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    `${tool} is not in the package ${TOOLS[tool].package}; remove ${TOOLS_FOLDER} and try again`,
  )
}

/**
 * Debian's Alertmanager reads its notification templates from a folder in /usr/share, and exits if they are missing.
 * Replaces the path in the binary by a relative one of the same length, so that it runs in the unpacked `usr` folder.
 */
function makeRelocatable(name: string, tree: string): void {
  if (name !== 'prometheus-alertmanager') return
  const binary = join(tree, 'usr/bin/prometheus-alertmanager')
  const bytes = readFileSync(binary)
  const absolute = Buffer.from('/usr/share/prometheus/alertmanager')
  const replacement = Buffer.from('.////share/prometheus/alertmanager')
  for (let at = bytes.indexOf(absolute); at >= 0; at = bytes.indexOf(absolute, at + absolute.length)) {
    replacement.copy(bytes, at)
  }
  writeFileSync(binary, bytes)
}

/** Replaces the link atomically, because tests may be running. */
function link(tool: Tool, target: string): void {
  const path = linkOf(tool)
  mkdirSync(dirname(path), { recursive: true })
  const inCache = target.startsWith(TOOLS_FOLDER)
  const fresh = `${path}.${process.pid}`
  symlinkSync(inCache ? relative(dirname(path), target) : target, fresh)
  renameSync(fresh, path)
}

function hasFont(folder: string): boolean {
  if (!existsSync(folder)) return false
  return readdirSync(folder, { recursive: true }).some((entry) => /\.(ttf|otf|ttc)$/.test(String(entry)))
}
