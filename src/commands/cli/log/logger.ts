import { pino } from 'pino'
import { type Fields, fieldsOf, type Log, logfmt } from '../../../log.ts'
import { visibleLines } from '../../../text.ts'
import { JOURNAL_PRIORITIES, withPriority } from './journal.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export const LOG_FORMATS = ['logfmt', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export interface LoggerOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  /** Lines are for the journal of systemd: with a priority, without a time, which the journal has. */
  readonly journal?: boolean
  /** Receives complete lines. */
  readonly write: (line: string) => void
}

/** A logger that writes one event per line, as logfmt or JSON. */
export function createLogger({ level, format, journal = false, write }: LoggerOptions): Log {
  const formatted = format === 'json' ? visibleLines : (line: string) => logfmt(JSON.parse(line))
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: !journal && (() => `,"ts":"${new Date().toISOString()}"`),
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(journal ? prefixed(line, formatted(line)) : formatted(line)) },
  )
  const at = (name: LogLevel) => (message: string, fields?: Fields) => logger[name](fields ?? {}, message)
  const debug: Log['debug'] = (message, fields) => {
    if (logger.isLevelEnabled('debug')) logger.debug(fieldsOf(fields), message)
  }
  return { debug, info: at('info'), warn: at('warn'), error: at('error') }
}

function prefixed(json: string, line: string): string {
  const { level } = JSON.parse(json) as { readonly level: LogLevel }
  return withPriority(line, JOURNAL_PRIORITIES[level])
}
