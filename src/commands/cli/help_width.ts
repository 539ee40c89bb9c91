import type { Command } from 'commander'

/** As commander assumes where there is no terminal. */
const DEFAULT_WIDTH = 80
/** Longer lines are hard to read. */
const MAX_WIDTH = 120
/** A line of text that is at least so long goes on in the next one. */
const MIN_BROKEN_LENGTH = 60
/** Where the second column of a list would be narrower, its lines begin at the first one. */
const MIN_COLUMN_WIDTH = 30

/** A command whose help fits the terminal, with the text after its flags. */
export function withHelpWidth(command: Command): Command {
  return command.configureOutput({
    writeOut: (text) => {
      const width = Math.min(process.stdout.columns ?? DEFAULT_WIDTH, MAX_WIDTH)
      process.stdout.write(fitted(text, width))
    },
  })
}

/** Breaks lines at spaces: paragraphs as a whole, and lists of terms with the indentation of their second column. */
function fitted(text: string, width: number): string {
  return joined(text.split('\n'))
    .flatMap((line) => (line.length <= width || isCommand(line) ? [line] : broken(line, width)))
    .join('\n')
}

/** The lines with the paragraphs in one line each. */
function joined(lines: readonly string[]): readonly string[] {
  const done: string[] = []
  for (const line of lines) {
    const last = done.at(-1) ?? ''
    const goesOn = /^\S.*[^:]$/.test(last) && last.length >= MIN_BROKEN_LENGTH && /^\S/.test(line)
    if (goesOn) done.splice(-1, 1, `${last} ${line}`)
    else done.push(line)
  }
  return done
}

/** An example, which must be copied in one piece. */
function isCommand(line: string): boolean {
  return /^ +(?:(?:bash|zsh|fish) +)?sds-exporter /.test(line)
}

function broken(line: string, width: number): string[] {
  const [lead = ''] = /^ *(?:\S+(?: \S+)* {2,})?/.exec(line) ?? []
  const indent = width - lead.length >= MIN_COLUMN_WIDTH ? lead.length : (/^ */.exec(line)?.[0].length ?? 0)
  const lines = [line.slice(0, indent)]
  for (const word of line.slice(indent).split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length > width && last.trim() !== '') lines.push(`${' '.repeat(indent)}${word} `)
    else lines.splice(-1, 1, `${last}${word} `)
  }
  return lines.map((one) => one.trimEnd())
}
