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

/**
 * A mutant is active only in the process of the tests, so most tests that start programs would find none. Tests named
 * below start none, or run the code in their own process too.
 */
const quick = (...folders: readonly string[]) =>
  folders.map((folder) => `test/${folder}/**/!(*.integration).test.ts`)
const PROMTOOL = '!**/*_promtool.integration.test.ts'

/** Patterns of tests, where they are not the quick ones in the folder of the same name. `!` excludes. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'src/administration': [
    ...quick('server/admin', 'api/providers'),
    'test/server/admin/admin_audit.integration.test.ts',
    'test/commands/providers/providers.integration.test.ts',
    'test/commands/providers/providers_listener.test.ts',
  ],
  'src/api': [...quick('api'), 'test/commands/providers/providers.integration.test.ts'],
  'src/alerting': [
    'test/{alerting,config}/**/*.test.ts',
    'test/commands/doctor/doctor_prometheus.test.ts',
    'test/commands/rules.integration.test.ts',
  ],
  'src/commands': ['test/commands/**/*.test.ts', '!**/{completion,serve}.integration.test.ts'],
  // Without those that compare every scenario at many times.
  'src/emulator': [...quick('emulator', 'recording'), '!**/{agreement,scenario_hours,proof}.test.ts'],
  'src/exporter': [
    'test/exporter/**/*.test.ts',
    'test/commands/check.integration.test.ts',
    'test/commands/doctor/doctor_access.integration.test.ts',
    'test/commands/providers/providers_listener.test.ts',
  ],
  'src/history': [
    ...['history', 'commands/backfill'].map((folder) => `test/${folder}/**/*.test.ts`),
    'test/server/metrics/history.test.ts',
    PROMTOOL,
  ],
  'src/metrics': quick('metrics', 'state', 'poller', 'server/metrics'),
  'src/poller': [
    ...quick('poller', 'server/metrics'),
    'test/exporter/reload.test.ts',
    'test/faults/resources.test.ts',
  ],
  'src/recording': [...quick('recording'), 'test/commands/capture.integration.test.ts', '!**/proof.test.ts'],
  'src/server': [
    ...quick('server'),
    'test/server/admin/admin_audit.integration.test.ts',
    'test/server/listener/web_config.integration.test.ts',
    'test/server/metrics/*.integration.test.ts',
  ],
  'src/state': [...quick('state', 'poller', 'status'), 'test/server/metrics/service_discovery.test.ts'],
  'src/status': quick('status', 'server/status', 'state'),
  'src/values': [
    'test/values/*.test.ts',
    ...quick('config', 'server/auth', 'api/http', 'api/request', 'api/session'),
    'test/commands/files.integration.test.ts',
  ],
  [FILES]: [
    'test/*.test.ts',
    ...quick('api', 'metrics', 'status', 'server/status', 'commands/cli', 'config'),
    'test/scripts/metrics_reference.test.ts',
  ],
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
  return TESTS[folder] ?? quick(folder.slice('src/'.length))
}
