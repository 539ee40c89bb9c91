import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Log } from '../log.ts'
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
    .option('--web.listen-address <address>', 'address and port of /metrics', ':9438')
    .option('--web.config.file <file>', "Prometheus' web configuration: TLS, users, headers")
    .option('--web.enable-lifecycle', 'serve POST /-/reload')
}

/** A whole number of at least one, for options that count. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1)
    throw new InvalidArgumentError('Expected a whole number of at least 1.')
  return count
}
