import { Help } from 'commander'
import { wrappedLines } from './width.ts'

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
