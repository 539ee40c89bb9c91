import { fstatSync } from 'node:fs'
import { AUDIT_PREFIX, type Fields, fieldsOf, type LazyFields, type Log, logfmt } from '../../../log.ts'
import { visibleLines } from '../../../text.ts'
import { BoundedMap } from '../../../values/cache.ts'
import { createTokenBucket, type TokenBucket } from '../../../values/token_bucket.ts'

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
  const at = (name: LogLevel) => (msg: string, fields?: LazyFields) => {
    if (LOG_LEVELS.indexOf(name) < LOG_LEVELS.indexOf(level)) return
    const ts = journal ? undefined : new Date().toISOString()
    const event = { ts, level: name, msg, ...fieldsOf(fields) }
    const line = format === 'json' ? visibleLines(`${JSON.stringify(event)}\n`) : logfmt(event)
    write(journal ? withPriority(line, name) : line)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Lines of one kind: ten at once, then one a minute. */
const REPEATS = { burst: 10, intervalMs: 60_000 } as const
/** Fields that distinguish kinds of lines with the same message. Their values are from closed sets. */
const KIND_FIELDS = ['system', 'reason', 'attribute'] as const
/** Other text, such as the messages of errors, has any number of values. */
const CLOSED_SET_VALUE = /^[\w.-]{1,64}$/
/** Kinds that are remembered; beyond it the least recently logged one is forgotten. */
const MAX_KINDS = 2000
const MAX_FIELD_CHARACTERS = 2000

interface Kind {
  readonly bucket: TokenBucket
  suppressed: number
}

/**
 * Limits repeated lines and the length of fields. The first line of every kind is written. The last line before
 * others are suppressed has the field `repeats`, the next line that is written has their number in `suppressed`. Lines
 * of level debug are not limited in number. Audit lines are written unchanged.
 * @param now monotonic clock in milliseconds
 */
export function limitLog(log: Log, now: () => number): Log {
  const kinds = new BoundedMap<string, Kind>(MAX_KINDS)
  const kindOf = (key: string): Kind => {
    const kind = kinds.get(key) ?? { bucket: createTokenBucket(REPEATS, now), suppressed: 0 }
    kinds.set(key, kind)
    return kind
  }
  const limited =
    (level: 'info' | 'warn' | 'error') =>
    (message: string, fields: Fields = {}): void => {
      const kind = kindOf(keyOf(level, message, fields))
      if (message.startsWith(AUDIT_PREFIX)) log[level](message, fields)
      else if (kind.bucket.take()) {
        log[level](message, { ...shortened(fields), ...repeatFields(kind) })
        kind.suppressed = 0
      } else kind.suppressed += 1
    }
  return {
    debug: (message, fields) => log.debug(message, () => shortened(fieldsOf(fields))),
    info: limited('info'),
    warn: limited('warn'),
    error: limited('error'),
  }
}

function keyOf(level: string, message: string, fields: Fields): string {
  const values = KIND_FIELDS.map((name) => String(fields[name] ?? ''))
  return [level, message, ...values.map((value) => (CLOSED_SET_VALUE.test(value) ? value : ''))].join('\n')
}

function repeatFields({ bucket, suppressed }: Kind): Fields {
  return {
    ...(suppressed > 0 && { suppressed }),
    ...(bucket.isEmpty() && { repeats: 'limited to one a minute' }),
  }
}

function shortened(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? cut(value) : value]),
  )
}

function cut(text: string): string {
  const rest = text.length - MAX_FIELD_CHARACTERS
  return rest > 0 ? `${text.slice(0, MAX_FIELD_CHARACTERS).toWellFormed()}… (${rest} more characters)` : text
}

/** Severities of the journal (syslog) by level of the log. */
const JOURNAL_PRIORITIES = { debug: 7, info: 6, warn: 4, error: 3 } as const

const STDERR_FD = 2

/** Whether stderr is the journal: systemd sets `JOURNAL_STREAM` to the device and inode of its stream, `DEV:INODE`. */
export function stderrIsJournal(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { JOURNAL_STREAM } = environment
  if (JOURNAL_STREAM === undefined) return false
  try {
    const { dev, ino } = fstatSync(STDERR_FD, { bigint: true })
    return JOURNAL_STREAM === `${dev}:${ino}`
  } catch {
    return false
  }
}

/** The text with a priority at the begin of each line, as in sd-daemon(3). */
const withPriority = (text: string, level: LogLevel): string =>
  text.replaceAll(/^(?=.)/gm, `<${JOURNAL_PRIORITIES[level]}>`)

/** Writes the message of a failed command to stderr, with its priority in the journal. */
export function writeError(text: string): void {
  process.stderr.write(stderrIsJournal(process.env) ? withPriority(text, 'error') : text)
}
