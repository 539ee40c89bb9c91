import { errorText } from '../../values/errors.ts'

/** Exit codes of all commands; `config` is EX_CONFIG of sysexits.h, for services whose start needs a change of a file. */
export const EXIT = { done: 0, failed: 1, usage: 2, config: 78 } as const

/** Ends the program with a message on stderr and an exit code. */
export class Failed extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.name = 'Failed'
    this.exitCode = exitCode
  }
}

/** Errors of the operating system that a user can correct. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it exists and is not a folder',
  EISDIR: 'it is a folder',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  ENOENT: 'no such file or folder',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
}

/** The message of a failure; a failed system call in words, with its path. */
export function failureText(failure: unknown): string {
  return systemErrorText(failure) ?? errorText(failure)
}

function systemErrorText(failure: unknown): string | undefined {
  if (!(failure instanceof Error && 'syscall' in failure && 'code' in failure)) return undefined
  const code = String(failure.code)
  const description = DESCRIPTIONS[code]
  if (description === undefined) return undefined
  return `${'path' in failure ? `${failure.path}: ` : ''}${description} (${code})`
}
