import { visibleText } from '../../text.ts'

/** HTML that may be sent. Only {@link html} and {@link trusted} create it. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Undefined, null and false give nothing. */
export type Content = string | number | Html | undefined | null | false | readonly Content[]

/** Values are escaped, invisible characters as `\uXXXX`; those that are {@link Html} are inserted as they are. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0] ?? ''
  for (const [index, value] of values.entries()) text += contentText(value) + (strings[index + 1] ?? '')
  return new Html(text)
}

/** Text of the program itself that is HTML, CSS or a script. */
export function trusted(text: string): Html {
  return new Html(text)
}

function contentText(content: Content): string {
  if (content === undefined || content === null || content === false) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string')
    return visibleText(content).replace(/[&<>"']/g, (character) => HTML_ESCAPES[character] ?? '')
  return content.map(contentText).join('')
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
