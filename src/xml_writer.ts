/** An XML element: empty, with text, or with children. Names are not escaped. */
export interface Element {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly content?: string | readonly Element[]
}

const PROLOG = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'

/** Newlines and tabs become references, because a parser would normalize them in attributes. */
const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
}
/** Characters that XML 1.0 does not allow, not even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

export function writeXml(root: Element): string {
  return `${PROLOG}${writeElement(root)}`
}

/** One element per member of an object, in order; undefined members are omitted. */
export function elementsOf(
  members: Readonly<Record<string, string | number | boolean | undefined>>,
): Element[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, content: String(value) }],
  )
}

function writeElement({ name, attributes = {}, content = '' }: Element): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const inner = typeof content === 'string' ? escaped(content) : content.map(writeElement).join('')
  const tag = `${name}${written.join('')}`
  return inner === '' ? `<${tag}/>` : `<${tag}>${inner}</${name}>`
}

/** Characters that XML does not allow are replaced. */
function escaped(text: string): string {
  const allowed = text.toWellFormed().replace(FORBIDDEN, '\ufffd')
  return allowed.replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] ?? character)
}
