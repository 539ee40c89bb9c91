/** What a log line may carry besides its message. Never a token or a password: pass a name, a path, a count. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

/** One event, one line. The implementation is made in `commands/`, where stderr and the format are known. */
export interface Log {
  debug(message: string, fields?: Fields): void
  info(message: string, fields?: Fields): void
  warn(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** For tests and library use: says nothing. */
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

function ignore(): void {
  // nothing to say
}
