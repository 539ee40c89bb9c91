import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'
import { CommandError } from '../exit.ts'

/** The terminal for prompts. Prompts are written to stderr, so that stdout has only the result. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WritableStream
  readonly signal: AbortSignal
}

const CANCELLED = 'Cancelled.'

/** Reads a line without echo. @throws as {@link askLine} */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // After the terminal is in raw mode, because input that arrives earlier would be echoed.
  const answer = askLine({ ...terminal, output: silent }, '')
  terminal.output.write(question)
  return answer.finally(() => terminal.output.write('\n'))
}

/** Reads a line. @throws {CommandError} on Ctrl+C and at the end of the input */
export function askLine({ input, output, signal }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: input as ReadStream, output, terminal: true, historySize: 0 })
  return new Promise<string>((resolve, reject) => {
    const close = () => lines.close()
    lines.once('SIGINT', close)
    lines.once('close', () => {
      signal.removeEventListener('abort', close)
      reject(new CommandError(CANCELLED))
    })
    signal.addEventListener('abort', close)
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
}
