/** A table. Cells are Markdown; bars are escaped and line breaks become blanks. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}

/** Inline code; empty for an empty text. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

function cell(text: string | number): string {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}
