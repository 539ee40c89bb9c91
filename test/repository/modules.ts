/** What a module may import from another one: everything, or only types. */
export type Permission = 'all' | 'types'

export interface Module {
  readonly name: string
  /** Folders (with a trailing slash) and files of the module; the longest match wins. */
  readonly paths: readonly string[]
  /** Other modules, or single files of them, that it may import. Its own files are always allowed. */
  readonly mayImport: Readonly<Record<string, Permission>>
}

/** Tables and shared types. */
export const COMMON = 'common'

/** Modules that every module may import; `common` imports nothing, `values` only `common`. */
export const SHARED: readonly string[] = [COMMON, 'values']

/** The dependency rules of ARCHITECTURE.md, lowest module first. */
export const MODULES: readonly Module[] = [
  {
    name: COMMON,
    paths: [
      'src/catalogue.ts',
      'src/query_catalogue.ts',
      'src/system_catalogue.ts',
      'src/log.ts',
      'src/text.ts',
      'src/time_units.ts',
      'src/xml_writer.ts',
      'src/api/errors/reasons.ts',
    ],
    mayImport: {},
  },
  { name: 'values', paths: ['src/values/'], mayImport: {} },
  { name: 'alerting', paths: ['src/alerting/'], mayImport: {} },
  { name: 'config', paths: ['src/config/'], mayImport: { alerting: 'all' } },
  { name: 'api', paths: ['src/api/'], mayImport: { config: 'types' } },
  { name: 'administration', paths: ['src/administration/'], mayImport: { api: 'all' } },
  { name: 'metrics', paths: ['src/metrics/'], mayImport: { api: 'types' } },
  { name: 'history', paths: ['src/history/'], mayImport: { config: 'types', api: 'all', metrics: 'all' } },
  { name: 'otlp', paths: ['src/otlp/'], mayImport: { config: 'all', api: 'all', metrics: 'all' } },
  { name: 'state', paths: ['src/state/'], mayImport: { config: 'types', api: 'all', metrics: 'all' } },
  {
    name: 'readings',
    paths: ['src/readings/'],
    mayImport: { config: 'all', api: 'all', metrics: 'all', history: 'all', state: 'all' },
  },
  {
    name: 'status',
    paths: ['src/status/'],
    mayImport: {
      alerting: 'all',
      config: 'types',
      api: 'all',
      metrics: 'all',
      state: 'all',
      readings: 'types',
      otlp: 'types',
    },
  },
  {
    name: 'server',
    paths: ['src/server/'],
    mayImport: {
      alerting: 'types',
      config: 'all',
      administration: 'all',
      api: 'all',
      state: 'all',
      readings: 'all',
      status: 'all',
      history: 'all',
      metrics: 'all',
    },
  },
  {
    name: 'exporter',
    paths: ['src/exporter/'],
    mayImport: {
      config: 'all',
      administration: 'all',
      api: 'all',
      state: 'all',
      readings: 'all',
      status: 'all',
      history: 'all',
      metrics: 'all',
      otlp: 'all',
      server: 'all',
    },
  },
  { name: 'recording', paths: ['src/recording/'], mayImport: { api: 'all' } },
  {
    name: 'emulator',
    paths: ['src/emulator/'],
    mayImport: { 'src/recording/format.ts': 'all', 'src/recording/times.ts': 'all' },
  },
  {
    name: 'commands',
    paths: ['src/commands/', 'src/main.ts'],
    mayImport: {
      config: 'all',
      administration: 'all',
      api: 'all',
      metrics: 'all',
      state: 'all',
      readings: 'all',
      status: 'all',
      history: 'all',
      otlp: 'all',
      server: 'all',
      exporter: 'all',
      emulator: 'all',
      recording: 'all',
      alerting: 'all',
    },
  },
  {
    name: 'mixin',
    paths: ['grafana/mixin/'],
    mayImport: { 'src/metrics/families.ts': 'all', alerting: 'all' },
  },
  {
    name: 'generators',
    paths: ['scripts/generators/', 'scripts/markdown/', 'docs/'],
    mayImport: {
      'src/metrics/lines.ts': 'all',
      'src/server/metrics/send_exposition.ts': 'all',
      'src/server/paths.ts': 'all',
      'src/status/status.ts': 'types',
      'src/status/states.ts': 'types',
      'src/commands/program.ts': 'all',
      'src/commands/completion.ts': 'all',
      'src/metrics/families.ts': 'all',
      alerting: 'all',
      config: 'all',
      mixin: 'all',
    },
  },
]

/** Which paths may import a package. Other packages may not be imported. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '@bufbuild/protobuf': ['src/history/'],
  '@grafana/grafana-foundation-sdk': ['grafana/mixin/'],
  '@opentelemetry/otlp-exporter-base': ['src/otlp/'],
  '@opentelemetry/otlp-transformer': ['src/otlp/'],
  '@peculiar/x509': ['src/emulator/'],
  '@prometheus-io/lezer-promql': ['grafana/mixin/'],
  bcryptjs: ['src/server/'],
  commander: ['src/commands/', 'src/main.ts'],
  'fast-xml-parser': ['src/api/'],
  koa: ['src/server/', 'src/emulator/'],
  negotiator: ['src/server/'],
  'node-cron': ['src/config/', 'src/values/'],
  'p-queue': ['src/api/http/', 'src/server/'],
  'prom-client': ['src/metrics/'],
  snappyjs: ['src/history/'],
  undici: ['src/api/', 'src/history/', 'src/commands/'],
  yaml: [
    'src/config/',
    'src/alerting/',
    'src/commands/doctor/',
    'grafana/mixin/',
    'scripts/generators/',
    'docs/',
  ],
  zod: ['src/config/', 'src/recording/', 'src/commands/', 'scripts/generators/'],
}

/** Only their types may be imported; `src/values/node_http.ts` says why. */
export const TYPES_ONLY: readonly string[] = ['node:http']

/** Where the environment of the process may be read. */
export const READS_ENVIRONMENT: readonly string[] = ['src/config/', 'src/commands/']
