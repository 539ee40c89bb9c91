/** Exit codes of all commands. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const

/** Ends the program with a message on stderr and an exit code. */
export class Failed extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.name = 'Failed'
    this.exitCode = exitCode
  }
}
