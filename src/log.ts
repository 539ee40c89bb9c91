import { INVISIBLE, visibleLines } from './text.ts'

/** Fields of a log line besides its message. They must not contain tokens or passwords. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

/** Fields, or a function that is called only if the line is written. */
export type LazyFields = Fields | (() => Fields)

/** Writes one line per event. The implementation is in commands/cli/log/logger.ts. */
export interface Log {
  debug(message: string, fields?: LazyFields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** Audit lines begin with this text. They are never limited. */
export const AUDIT_PREFIX = 'audit: '

export function fieldsOf(fields: LazyFields = {}): Fields {
  return typeof fields === 'function' ? fields() : fields
}

/** `ts=… level=… msg=… key=value`, as in Prometheus; a whole line, without members that are undefined. */
export function logfmt(members: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${logfmtValue(String(value))}`],
  )
  return `${pairs.join(' ')}\n`
}

/** Text that needs no quotes. */
const PLAIN = new RegExp(`^[^\\s"=\\\\${INVISIBLE}]+$`, 'u')

function logfmtValue(text: string): string {
  return PLAIN.test(text) ? text : visibleLines(JSON.stringify(text))
}

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {
  // Lines are discarded.
}
