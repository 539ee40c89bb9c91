/** A table; cells are Markdown already, except that a bar or a line break in one cannot break the table. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(' | ')} |\n`
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('')
}

/** Inline code, or nothing for nothing. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

function cell(text: string | number): string {
  return String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
}
