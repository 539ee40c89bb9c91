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
import { installPackages, say, unpackPackage } from './debian.ts'
import { linkOf, TOOLS, TOOLS_FOLDER, type Tool, treeOf, versionArgumentsOf } from './table.ts'

const FONT_PACKAGE = 'fonts-liberation'
const FONT_FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', '/System/Library/Fonts']

/** Makes the tool available under its link in the cache. Throws an error with a remedy when it cannot. */
export function provide(tool: Tool): void {
  if (existsSync(linkOf(tool))) return
  try {
    link(tool, onPath(tool) ?? fetched(tool))
  } catch (failure) {
    const { commands, atLeast } = TOOLS[tool]
    const otherwise = `or put ${commands[0]} ${atLeast.join('.')} or newer on PATH`
    throw new Error(`${tool} is missing: ${(failure as Error).message}\n${otherwise}`)
  }
}

/** Without a font, a browser draws pages without text. */
export function provideFonts(): void {
  if (FONT_FOLDERS.some(hasFont)) return
  say(`installing ${FONT_PACKAGE}, because this machine has no font`)
  installPackages([FONT_PACKAGE])
}

/** A program on PATH that is new enough. One that is too old is passed over, not an error. */
function onPath(tool: Tool): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const candidates = TOOLS[tool].commands.flatMap((name) => folders.map((folder) => join(folder, name)))
  const found = candidates.find((path) => existsSync(path) && isNewEnough(tool, path))
  if (found !== undefined) say(`${tool} is ${found}`)
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
    say(`installing ${name} from Debian (it starts no service)`)
    installPackages([name, FONT_PACKAGE])
    return existing(tool, '/usr/bin')
  }
  const tree = treeOf(name)
  if (!existsSync(tree)) {
    say(`fetching ${name} from Debian`)
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
 * Debian's Alertmanager reads its notification templates from a folder below /usr/share and ends when they are
 * missing. In our copy that path is made relative (same length), so that it runs without root from its own
 * `usr` folder.
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

/** Replaces the link in one step, so that a test that starts meanwhile sees the old one or the new one. */
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
