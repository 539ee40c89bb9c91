/**
 * Whether a body is HTML, as from a login form or a proxy: the API itself never responds with HTML. XHTML may begin with an
 * XML declaration.
 */
export function isPage(text: string): boolean {
  return /^\s*(?:<\?xml[^>]{0,200}>\s*)?<(!doctype\s+html|html)[\s>]/i.test(text)
}

/** Whether a body has an XML declaration or is an XML error body. Other markup may be XML or HTML. */
export function isXml(text: string): boolean {
  return /^\s*<(\?xml|error)/i.test(text) && !isPage(text)
}

const XML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
])
const LAST_CODE_POINT = 0x10ffff
const SURROGATES = [0xd800, 0xdfff] as const

/** The character of an entity or character reference, such as `amp` or `#65`; undefined for unknown names. */
export function entityText(name: string): string | undefined {
  return XML_ENTITIES.get(name) ?? characterOf(name)
}

function characterOf(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const [first, last] = SURROGATES
  if (!(code > 0 && code <= LAST_CODE_POINT) || (code >= first && code <= last)) return undefined
  return String.fromCodePoint(code)
}
