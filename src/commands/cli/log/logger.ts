import { pino } from 'pino'
import { type Fields, fieldsOf, type Log } from '../../../log.ts'
import { INVISIBLE, visibleLines } from '../../../text.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export const LOG_FORMATS = ['logfmt', 'json'] as const
export type LogFormat = (typeof LOG_FORMATS)[number]

export interface LoggerOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  /** Receives complete lines. */
  readonly write: (line: string) => void
}

/** A logger that writes one event per line, as logfmt or JSON. */
export function createLogger({ level, format, write }: LoggerOptions): Log {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'msg',
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => write(format === 'json' ? visibleLines(line) : logfmt(JSON.parse(line))) },
  )
  const at = (name: LogLevel) => (message: string, fields?: Fields) => logger[name](fields ?? {}, message)
  const debug: Log['debug'] = (message, fields) => {
    if (logger.isLevelEnabled('debug')) logger.debug(fieldsOf(fields), message)
  }
  return { debug, info: at('info'), warn: at('warn'), error: at('error') }
}

/** `ts=… level=… msg=… key=value`, as in Prometheus. */
function logfmt({ ts, level, msg, ...fields }: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries({ ts, level, msg, ...fields }).map(
    ([key, value]) => `${key}=${logfmtValue(String(value))}`,
  )
  return `${pairs.join(' ')}\n`
}

/** Text that needs no quotes. */
const PLAIN = new RegExp(`^[^\\s"=\\\\${INVISIBLE}]+$`, 'u')

function logfmtValue(text: string): string {
  return PLAIN.test(text) ? text : visibleLines(JSON.stringify(text))
}
