import { createInterface } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { Failed } from '../exit.ts'

/** The terminal for prompts. Prompts are written to stderr, so that stdout has only the result. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WritableStream
  /** Its abort cancels a prompt. */
  readonly signal: AbortSignal
}

const CANCELLED = 'Cancelled.'
const KEYS = { enter: ['\r', '\n', '\u0004'], cancel: '\u0003', erase: ['\u007f', '\b'] } as const

/** Reads a line without echo. @throws {Failed} on Ctrl+C */
export function askSecret({ input, output, signal }: Terminal, question: string): Promise<string> {
  const before = input.isRaw
  // Before the prompt, because input that arrives earlier would be echoed.
  input.setRawMode(true)
  input.setEncoding('utf8')
  output.write(question)
  return new Promise<string>((resolve, reject) => {
    let typed: string[] = []
    const finish = (settle: () => void) => {
      input.off('data', take)
      input.off('end', end)
      signal.removeEventListener('abort', end)
      input.setRawMode(before)
      input.pause()
      output.write('\n')
      settle()
    }
    const end = () => finish(() => reject(new Failed(CANCELLED)))
    const take = (chunk: string) => {
      // A pasted token arrives as one chunk that includes the newline.
      for (const key of chunk) {
        if (key === KEYS.cancel) return end()
        if (KEYS.enter.some((one) => one === key)) return finish(() => resolve(typed.join('')))
        typed = KEYS.erase.some((one) => one === key) ? typed.slice(0, -1) : [...typed, key]
      }
    }
    input.on('data', take)
    input.once('end', end)
    signal.addEventListener('abort', end)
    input.resume()
  })
}

/** Reads a line. @throws {Failed} on Ctrl+C and at the end of the input */
export function askLine({ input, output, signal }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: input as ReadStream, output, terminal: true })
  return new Promise<string>((resolve, reject) => {
    const close = () => lines.close()
    lines.once('SIGINT', close)
    lines.once('close', () => {
      signal.removeEventListener('abort', close)
      reject(new Failed(CANCELLED))
    })
    signal.addEventListener('abort', close)
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
}
