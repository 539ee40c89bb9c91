import { Help } from 'commander'

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The width of a terminal in characters; without one undefined: lines are not broken, so that they can be searched. */
export function terminalWidth({ isTTY, columns }: Stream): number | undefined {
  // A terminal that does not tell its size, as on a serial line, has 0 columns.
  return isTTY === true ? columns || undefined : undefined
}

/** Whether a line can be replaced and coloured. A terminal of type `dumb` shows control sequences as text. */
function hasControls({ isTTY }: Stream): boolean {
  return isTTY === true && process.env['TERM'] !== 'dumb'
}

/** Breaks text at blanks. With less room, it is not broken; words that are too long, such as paths, stay whole. */
const WRAPPING = Object.assign(new Help(), { minWidthToWrap: 20 })

/** @param indentation characters before the first line, and blanks before all others */
export function wrapped(text: string, width: number | undefined, indentation: number): string {
  // Commander takes quadratic time for blanks at the end.
  const lines = WRAPPING.boxWrap(text.trimEnd(), (width ?? 0) - indentation)
  return lines.replaceAll('\n', `\n${' '.repeat(indentation)}`)
}

const FURTHER_LINES = 2

/** Each line of a text broken at blanks, with further lines indented below it. */
export function wrappedLines(text: string, width: number | undefined): string {
  return text
    .split('\n')
    .map((line) => {
      const start = line.length - line.trimStart().length
      return `${line.slice(0, start)}${wrapped(line.trimStart(), width, start + FURTHER_LINES)}`
    })
    .join('\n')
}

/** The width of help where there is no terminal, in columns. */
const HELP_WIDTH = 80
/** Longer terms have a line of their own. */
const MAX_TERM_WIDTH = 32

/** Terms and their descriptions in two columns, for the help of a command. */
export function itemList(rows: readonly (readonly [term: string, description: string])[]): string {
  const help = new Help()
  help.prepareContext({ helpWidth: HELP_WIDTH })
  const width = Math.min(MAX_TERM_WIDTH, Math.max(...rows.map(([term]) => term.length)))
  return rows
    .map(([term, description]) =>
      term.length > width
        ? `  ${term}\n${help.formatItem(' ', width, description, help)}`
        : help.formatItem(term, width, description, help),
    )
    .join('\n')
}

/** Lines of text broken at words, for the help of a command. */
export function paragraph(text: string): string {
  return wrappedLines(text, HELP_WIDTH)
}

/** A progress line on a terminal; without a terminal nothing is written. */
export type Progress = ReturnType<typeof createProgress>

const CLEAR_LINE = '\r\u001b[2K'

export function createProgress(output: { isTTY?: boolean; write(text: string): unknown }) {
  const write = (text: string) => {
    if (hasControls(output)) output.write(text)
  }
  return {
    show: (text: string): void => write(`${CLEAR_LINE}${text}`),
    clear: (): void => write(CLEAR_LINE),
  }
}

/** A word of a command line for a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
