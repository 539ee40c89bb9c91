import { existsSync, readdirSync } from 'node:fs'

/** The files of src that are in no folder. */
export const FILES = 'src/*.ts'

/** The top-level folders of src, and its files. */
export const FOLDERS: readonly string[] = [
  ...readdirSync('src', { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`src/${entry.name}`] : [],
  ),
  FILES,
]

/** A mutant is active only in the process of the tests, so most tests that start programs would find none. */
const PROGRAMS = '!**/*.integration.test.ts'
const PROMTOOL = '!**/*_promtool.integration.test.ts'

/** Patterns of tests, where they are not the quick ones in the folder of the same name. `!` excludes. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/administration': ['test/server/admin/**/*.test.ts', PROGRAMS],
  'src/alerting': ['test/alerting/**/*.test.ts'],
  'src/exporter': ['test/exporter/**/*.test.ts', 'test/faults/pool_failures.test.ts'],
  'src/history': ['test/history/**/*.test.ts', PROMTOOL],
  'src/metrics': ['test/{metrics,state,poller,server/metrics}/**/*.test.ts', PROGRAMS],
  'src/recording': ['test/recording/**/*.test.ts', '!**/proof.test.ts', PROGRAMS],
  'src/state': ['test/state/**/*.test.ts', 'test/poller/**/*.test.ts', PROGRAMS],
  'src/status': ['test/status/**/*.test.ts', 'test/server/status/**/*.test.ts', PROGRAMS],
  'src/values': [
    ...['values', 'config', 'server/auth'].map((folder) => `test/${folder}/**/*.test.ts`),
    PROGRAMS,
  ],
  [FILES]: ['test/*.test.ts', 'test/{api,metrics,status}/**/*.test.ts', PROGRAMS],
}

/** The one of {@link FOLDERS} that the path is or has the path; undefined for a path outside src. */
export function folderOf(path: string): string | undefined {
  const folder = FOLDERS.find((one) => path === one || path.startsWith(`${one}/`))
  const isRootFile = /^src\/[^/]+\.ts$/.test(path)
  if (path !== folder && !existsSync(path)) return undefined
  return folder ?? (isRootFile ? FILES : undefined)
}

/** Patterns of the tests of a folder: `src/metrics` → `test/metrics`. */
export function testsOf(path: string): readonly string[] {
  const folder = folderOf(path) ?? path
  return TESTS[folder] ?? [`test/${folder.slice('src/'.length)}/**/*.test.ts`, PROGRAMS]
}
