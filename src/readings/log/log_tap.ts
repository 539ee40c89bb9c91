import { type Fields, fieldsOf, type Log } from '../../log.ts'

export interface LogLine {
  readonly time: Date
  readonly level: keyof Log
  readonly message: string
  readonly fields: Fields
}

/** A log, of which the lines about a system can be recorded. */
export type LogTap = ReturnType<typeof createLogTap>
/** The lines about a system since the recording began, whatever the level of the log. */
export type LogRecording = ReturnType<LogTap['record']>

const MAX_LINES = 200

export function createLogTap(log: Log) {
  const recordings = new Set<(line: LogLine) => void>()
  const at = (level: keyof Log) => (message: string, fields?: Parameters<Log['debug']>[1]) => {
    // Only the function for debug takes fields that are not computed yet.
    if (level === 'debug') log.debug(message, fields)
    else log[level](message, fieldsOf(fields))
    if (recordings.size === 0) return
    const line = { time: new Date(), level, message, fields: fieldsOf(fields) }
    for (const record of recordings) record(line)
  }
  return {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } satisfies Log,
    record(system: string) {
      const lines: LogLine[] = []
      let omitted = 0
      const add = (line: LogLine) => {
        if (line.fields['system'] !== system) return
        if (lines.length < MAX_LINES) lines.push(line)
        else omitted += 1
      }
      recordings.add(add)
      return {
        lines: lines as readonly LogLine[],
        /** Lines beyond the limit, which are not in the recording. */
        get omitted(): number {
          return omitted
        },
        end: (): void => void recordings.delete(add),
      }
    },
  }
}
