/** An XML element: empty, with text, or with children. */
export interface Element {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly content?: string | readonly Element[]
}

const PROLOG = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Characters that XML 1.0 cannot contain, not even as character references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
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

function writeElement({ name, attributes = {}, content = [] }: Element): string {
  const attributeText = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  const inner = typeof content === 'string' ? escapeXml(content) : content.map(writeElement).join('')
  const tag = `${name}${attributeText.join('')}`
  return inner === '' ? `<${tag}/>` : `<${tag}>${inner}</${name}>`
}

function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
}
