import { packageOf } from '../repository/imports.ts'
import { closureOf, type ReadFile, readIfThere, runTimeImports, testFiles } from './test_files.ts'

/** Tests that wait for polls of real time: portable, but not quick. */
const SLOW_FOLDERS = ['test/faults/', 'test/exporter/']
/** Modules that start programs, which take long, need Linux or must be installed. */
const STARTS_PROGRAMS = ['node:child_process', 'playwright-core']
/** Signals, file modes, links, devices and shells, which Windows lacks and macOS has in part. */
const UNIX_ONLY =
  /\b(?:chmod|symlink)Sync\b|'\/(?:proc|dev|bin|usr)\/|'sh'|\.kill\(|'SIG[A-Z]+'|\.mode\b|\bgetuid\b|\.meta\.url\)\.pathname\b/

/** A thread cannot change its time zone. */
const NEEDS_PROCESS = /\bstubEnv\('TZ'/

/** Test files, from the root of the repository, that are quick and run on Linux, macOS and Windows alike. */
export function quickTests(): readonly string[] {
  return testFiles().filter((path) => whyNotQuick(path, readIfThere) === undefined)
}

/** Why a test file belongs to the whole suite alone; undefined for a quick one. */
export function whyNotQuick(path: string, read: ReadFile): string | undefined {
  if (SLOW_FOLDERS.some((folder) => path.startsWith(folder))) return 'waits for polls'
  for (const [file, source] of closureOf(path, read)) {
    if (file.startsWith('src/')) continue
    const program = runTimeImports(source).find(startsPrograms)
    if (program !== undefined) return `${file} imports ${program}`
    if (!file.startsWith('test/')) continue
    const [found] = UNIX_ONLY.exec(source) ?? NEEDS_PROCESS.exec(source) ?? []
    if (found !== undefined) return `${file} uses ${found}`
  }
  return undefined
}

function startsPrograms(specifier: string): boolean {
  return STARTS_PROGRAMS.includes(packageOf(specifier) ?? specifier)
}
