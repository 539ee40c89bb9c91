import { getSystemErrorMessage } from 'node:util'
import { errorCode, errorText } from '../../values/errors.ts'

/** Exit codes of all commands; `config` is EX_CONFIG of sysexits.h, for services whose start needs a change of a file. */
export const EXIT = { done: 0, failed: 1, usage: 2, config: 78 } as const

/** Ends the program with a message on stderr and an exit code. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.name = 'CommandError'
    this.exitCode = exitCode
  }
}

/** The message of a failure; a failed system call on a file in words, with its path. */
export function failureText(failure: unknown): string {
  const isOfFile = failure instanceof Error && 'errno' in failure && 'path' in failure
  return isOfFile
    ? `${failure.path}: ${getSystemErrorMessage(Number(failure.errno))} (${errorCode(failure)})`
    : errorText(failure)
}
