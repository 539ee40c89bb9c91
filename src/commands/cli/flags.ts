import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AdminOptions } from '../../exporter/admin.ts'
import type { ExporterOptions } from '../../exporter/exporter.ts'
import { readVersion } from '../../exporter/version.ts'
import type { Log } from '../../log.ts'
import { parseListenAddress } from '../../server/listener/listen_address.ts'
import { createLogger, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from './logger.ts'

/** Flags of every command that logs. */
export interface LogFlags {
  'log.level': LogLevel
  'log.format': LogFormat
}

export function addLogFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--log.level <level>', 'least severe lines to log').choices([...LOG_LEVELS]).default('info'),
    )
    .addOption(
      new Option('--log.format <format>', 'form of the log lines')
        .choices([...LOG_FORMATS])
        .default('logfmt'),
    )
}

/** The log that the flags ask for, on stderr. */
export function logFrom(flags: LogFlags): Log {
  return createLogger({
    level: flags['log.level'],
    format: flags['log.format'],
    write: (line) => process.stderr.write(line),
  })
}

/** Flags of every command that serves `/metrics`. */
export interface WebFlags {
  'web.listenAddress': string
  'web.config.file'?: string
  'web.enableLifecycle'?: boolean
}

export function addWebFlags(command: Command): Command {
  return command
    .option('--web.listen-address <address>', 'address and port of /metrics', parseAddress, ':9438')
    .option('--web.config.file <file>', "Prometheus' web configuration: TLS, users, headers")
    .option('--web.enable-lifecycle', 'serve POST /-/reload')
}

/** Flags of every command that serves the administration. */
export interface AdminFlags {
  'admin.listenAddress': string
  'admin.config.file'?: string
  'admin.allowedHosts'?: readonly string[]
  'admin.auditFile'?: string
}

export function addAdminFlags(command: Command): Command {
  return command
    .option(
      '--admin.listen-address <address>',
      'address and port of the administration of providers; empty turns it off',
      (text: string) => (text === '' ? '' : parseAddress(text)),
      '127.0.0.1:9439',
    )
    .option('--admin.config.file <file>', 'web configuration of the administration: TLS, users, headers')
    .option(
      '--admin.allowed-hosts <names>',
      'further names, with commas, under which the administration is reached: admin.example.net, localhost:8080',
      collectNames,
    )
    .option(
      '--admin.audit-file <file>',
      'write each deletion that is asked for to this file too, as JSON lines',
    )
}

function collectNames(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !HOST_NAME.test(name))
  if (wrong === undefined) return [...before, ...names]
  throw new InvalidArgumentError(`"${wrong}" is not a host name, perhaps with a port.`)
}

const HOST_NAME = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i

/** What the flags say of the administration; undefined: it is off. */
export function adminFrom(flags: AdminFlags): AdminOptions | undefined {
  const listenAddress = flags['admin.listenAddress']
  const configFile = flags['admin.config.file']
  const auditFile = flags['admin.auditFile']
  if (listenAddress === '') return undefined
  return {
    listenAddress,
    allowedHosts: flags['admin.allowedHosts'] ?? [],
    ...(configFile !== undefined && { configFile }),
    ...(auditFile !== undefined && { auditFile }),
  }
}

/** The options of the exporter that `serve` and `demo` take from their flags. */
export function exporterOptions(flags: WebFlags & AdminFlags): Omit<ExporterOptions, 'load' | 'log'> {
  return {
    version: readVersion(),
    listenAddress: flags['web.listenAddress'],
    lifecycle: flags['web.enableLifecycle'] ?? false,
    admin: adminFrom(flags),
    ...(flags['web.config.file'] !== undefined && { webConfigFile: flags['web.config.file'] }),
  }
}

/** `HOST:PORT` as it is, for options that listen; anything else is wrong usage. */
export function parseAddress(text: string): string {
  try {
    parseListenAddress(text)
    return text
  } catch (failure) {
    throw new InvalidArgumentError(failure instanceof Error ? failure.message : '')
  }
}

/** A whole number of at least one, for options that count. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1)
    throw new InvalidArgumentError('Expected a whole number of at least 1.')
  return count
}
