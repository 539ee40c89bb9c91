import { createInterface } from 'node:readline'
import type { ReadStream } from 'node:tty'
import { Failed } from './exit.ts'

/** Where a command asks a person. Prompts go to stderr, so that stdout stays what was asked for. */
export interface Terminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WritableStream
}

const CANCELLED = 'Cancelled.'
const KEYS = { enter: ['\r', '\n', '\u0004'], cancel: '\u0003', erase: ['\u007f', '\b'] } as const

/** Asks for a line that is not shown while it is typed. @throws {Failed} on Ctrl+C */
export function askSecret({ input, output }: Terminal, question: string): Promise<string> {
  const before = input.isRaw
  // First of all: what is typed between the question and this would be shown.
  input.setRawMode(true)
  input.setEncoding('utf8')
  output.write(question)
  return new Promise<string>((resolve, reject) => {
    let typed: string[] = []
    const finish = (settle: () => void) => {
      input.off('data', take)
      input.off('end', end)
      input.setRawMode(before)
      input.pause()
      output.write('\n')
      settle()
    }
    const end = () => finish(() => reject(new Failed(CANCELLED)))
    const take = (chunk: string) => {
      // A pasted token comes in one piece, its line end included.
      for (const key of chunk) {
        if (key === KEYS.cancel) return end()
        if (KEYS.enter.some((one) => one === key)) return finish(() => resolve(typed.join('')))
        typed = KEYS.erase.some((one) => one === key) ? typed.slice(0, -1) : [...typed, key]
      }
    }
    input.on('data', take)
    input.once('end', end)
    input.resume()
  })
}

/** Asks for a line. @throws {Failed} on Ctrl+C and at the end of the input */
export function askLine({ input, output }: Terminal, question: string): Promise<string> {
  const lines = createInterface({ input: input as ReadStream, output, terminal: true })
  return new Promise<string>((resolve, reject) => {
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => reject(new Failed(CANCELLED)))
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
}

/** Foreign text for a terminal: control characters, and those that turn the direction of text, as escapes. */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
