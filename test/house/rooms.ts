/** What one room may take from another: everything, or the types alone. */
export type Permission = 'all' | 'types'

export interface Room {
  readonly name: string
  /** Folders (ending in a slash) and files that belong to the room; the longest match wins. */
  readonly paths: readonly string[]
  /** Rooms, or single files of them, that it may import. Its own files it always may. */
  readonly mayImport: Readonly<Record<string, Permission>>
}

/** Tables and words that every room may import; they import nothing themselves. */
export const COMMON = 'common'

/** How secrets are read and kept from print, since a token file is read again; and which ids a path can carry. */
const SECRET = { 'src/config/secret.ts': 'all', 'src/config/ids.ts': 'all' } as const

/** Who may know whom: ARCHITECTURE as data, the lowest room first. */
export const ROOMS: readonly Room[] = [
  {
    name: COMMON,
    paths: ['src/catalogue.ts', 'src/log.ts', 'src/counted.ts', 'src/api/reasons.ts'],
    mayImport: {},
  },
  { name: 'config', paths: ['src/config/'], mayImport: {} },
  { name: 'api', paths: ['src/api/'], mayImport: { config: 'types', ...SECRET } },
  { name: 'metrics', paths: ['src/metrics/'], mayImport: { api: 'types' } },
  { name: 'poller', paths: ['src/poller/'], mayImport: { config: 'all', api: 'all', metrics: 'all' } },
  { name: 'history', paths: ['src/history/'], mayImport: { config: 'types', api: 'all', metrics: 'all' } },
  {
    name: 'server',
    paths: ['src/server/'],
    mayImport: { config: 'all', api: 'all', poller: 'all', history: 'all', metrics: 'all' },
  },
  { name: 'emulator', paths: ['src/emulator/'], mayImport: {} },
  {
    name: 'commands',
    paths: ['src/commands/', 'src/main.ts'],
    mayImport: {
      config: 'all',
      api: 'all',
      metrics: 'all',
      poller: 'all',
      history: 'all',
      server: 'all',
      emulator: 'all',
    },
  },
  { name: 'grafana', paths: ['grafana/'], mayImport: { 'src/metrics/families.ts': 'all' } },
  {
    name: 'deploy',
    paths: ['deploy/'],
    mayImport: { 'src/metrics/families.ts': 'all', 'grafana/settings.ts': 'all' },
  },
  {
    name: 'generators',
    paths: ['scripts/generators/', 'docs/'],
    mayImport: { 'src/metrics/families.ts': 'all', grafana: 'all', deploy: 'all' },
  },
]

/** Which paths may import a package. A package that is not here is refused everywhere. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@grafana/grafana-foundation-sdk': ['grafana/'],
  '@koa/router': ['src/server/', 'src/emulator/'],
  '@peculiar/x509': ['src/emulator/'],
  '@prometheus-io/lezer-promql': ['grafana/', 'deploy/'],
  bcryptjs: ['src/server/'],
  commander: ['src/commands/', 'src/main.ts'],
  'fast-xml-parser': ['src/api/', 'src/emulator/', 'src/server/admin'],
  koa: ['src/server/', 'src/emulator/'],
  // The configuration asks it whether a schedule is valid.
  'node-cron': ['src/poller/', 'src/config/'],
  pino: ['src/commands/', 'src/main.ts'],
  'prom-client': ['src/metrics/'],
  undici: ['src/api/'],
  yaml: ['src/config/', 'grafana/', 'deploy/', 'scripts/generators/', 'docs/'],
  zod: ['src/config/'],
}

/** Where the environment of the process may be read. */
export const READS_ENVIRONMENT: readonly string[] = ['src/config/', 'src/commands/']
