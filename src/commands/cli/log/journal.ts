import { fstatSync } from 'node:fs'

/** Severities of the journal (syslog) by level of the log. */
export const JOURNAL_PRIORITIES = { debug: 7, info: 6, warn: 4, error: 3 } as const
export type JournalPriority = (typeof JOURNAL_PRIORITIES)[keyof typeof JOURNAL_PRIORITIES]

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
export const withPriority = (text: string, priority: JournalPriority): string =>
  text.replaceAll(/^(?=.)/gm, `<${priority}>`)

/** Writes the message of a failed command to stderr, with its priority in the journal. */
export function writeError(text: string): void {
  process.stderr.write(stderrIsJournal(process.env) ? withPriority(text, JOURNAL_PRIORITIES.error) : text)
}
