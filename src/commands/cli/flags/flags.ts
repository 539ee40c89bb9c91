import { InvalidArgumentError } from 'commander'
import type { AdminOptions, ExporterOptions } from '../../../exporter/exporter.ts'
import { readDocumentationUrl, readVersion } from '../../../exporter/version.ts'
import type { Log } from '../../../log.ts'
import { DEFAULT_METRICS_PATH, isTaken } from '../../../server/paths.ts'
import { DEFAULT_MAX_REQUESTS } from '../../../server/response_slots.ts'
import { createLogger, LOG_FORMATS, LOG_LEVELS, limitLog, stderrIsJournal } from '../log/logger.ts'
import { type FlagsOf, type FlagTable, parseAddress, parseCountOrNone } from './table.ts'

export const LOG_FLAGS = {
  '--log.level <level>': {
    description: 'minimum severity of log lines',
    choices: LOG_LEVELS,
    default: 'info',
  },
  '--log.format <format>': { description: 'format of log lines', choices: LOG_FORMATS, default: 'logfmt' },
} as const satisfies FlagTable
export type LogFlags = FlagsOf<typeof LOG_FLAGS>

/** A logger to stderr with level and format from the flags. Repeated lines are limited. */
export function logFrom(flags: LogFlags): Log {
  const log = createLogger({
    level: flags['log.level'],
    format: flags['log.format'],
    journal: stderrIsJournal(process.env),
    write: (line) => process.stderr.write(line),
  })
  return limitLog(log, () => performance.now())
}

const DEFAULT_ADDRESSES = [':9438'] as const

const WEB_FLAGS = {
  '--web.listen-address <address>': {
    description: 'listen address of the metrics; may be repeated',
    parse: collectAddresses,
    default: DEFAULT_ADDRESSES,
    defaultText: DEFAULT_ADDRESSES[0],
  },
  '--web.telemetry-path <path>': {
    description: 'path of the metrics',
    parse: parsePath,
    default: DEFAULT_METRICS_PATH,
  },
  '--web.config.file <file>': 'web configuration file (exporter-toolkit): TLS, users, headers',
  '--web.max-requests <count>': {
    description: 'maximum number of parallel scrapes, further ones are answered 503; 0 disables the limit',
    parse: parseCountOrNone,
    default: DEFAULT_MAX_REQUESTS,
  },
  '--web.enable-lifecycle': 'enable reload with POST /-/reload',
  '--web.allowed-hosts <names>': {
    description:
      'refuse requests for host names other than these, comma-separated, and those of the listen address',
    parse: collectNames,
  },
} as const satisfies FlagTable

/** The first flag replaces the default. */
function collectAddresses(text: string, before: readonly string[]): readonly string[] {
  return [...(before === DEFAULT_ADDRESSES ? [] : before), parseAddress(text)]
}

/** Checks a path of the metrics. @throws {InvalidArgumentError} */
function parsePath(text: string): string {
  if (!/^\/([\w.~-]+(\/[\w.~-]+)*)?$/.test(text) || /(^|\/)\.\.?(\/|$)/.test(text))
    throw new InvalidArgumentError('Expected a path such as /metrics, of letters, digits and . _ ~ -')
  if (isTaken(text)) throw new InvalidArgumentError('The exporter serves something else at this path.')
  return text
}

export const ADMIN_FLAGS = {
  '--admin.listen-address <address>': {
    description: 'listen address of the provider administration; empty disables it',
    parse: (text: string) => (text === '' ? '' : parseAddress(text)),
    default: '127.0.0.1:9439',
  },
  '--admin.config.file <file>': 'web configuration file of the provider administration',
  '--admin.allowed-hosts <names>': {
    description:
      'additional host names of the provider administration, comma-separated: admin.example.net,localhost:8080',
    parse: collectNames,
  },
} as const satisfies FlagTable
type AdminFlags = FlagsOf<typeof ADMIN_FLAGS>

export const EXPORTER_FLAGS = { ...WEB_FLAGS, ...ADMIN_FLAGS, ...LOG_FLAGS } as const
export type ExporterFlags = FlagsOf<typeof EXPORTER_FLAGS>

function collectNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  const invalid = names.find((name) => !HOST_NAME.test(name))
  if (invalid === undefined) return [...before, ...names]
  throw new InvalidArgumentError(`"${invalid}" is not a host name with an optional port.`)
}

const HOST_NAME = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i

export function adminFrom(flags: AdminFlags): AdminOptions | undefined {
  const listenAddress = flags['admin.listenAddress']
  if (listenAddress === '') return undefined
  return {
    listenAddress,
    allowedHosts: flags['admin.allowedHosts'] ?? [],
    configFile: flags['admin.config.file'],
  }
}

export function exporterOptions(flags: ExporterFlags): Omit<ExporterOptions, 'load' | 'log'> {
  return {
    version: readVersion(),
    documentationUrl: readDocumentationUrl(),
    listenAddress: flags['web.listenAddress'],
    metricsPath: flags['web.telemetryPath'],
    lifecycle: flags['web.enableLifecycle'] ?? false,
    maxRequests: flags['web.maxRequests'],
    admin: adminFrom(flags),
    allowedHosts: flags['web.allowedHosts'],
    webConfigFile: flags['web.config.file'],
  }
}
