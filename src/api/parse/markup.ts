/** A web page, such as a login form or that of a proxy: the storage system itself never answers with HTML. */
export function isPage(text: string): boolean {
  return /^\s*<(!doctype\s+html|html)[\s>]/i.test(text)
}

/** XML that says so, or an error body of the system; of other markup it is not known. */
export function isPlainlyXml(text: string): boolean {
  return /^\s*<(\?xml|error)/i.test(text)
}

/** The entities that XML has of its own. */
const XML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
])
const LAST_CODE_POINT = 0x10ffff
const SURROGATES = [0xd800, 0xdfff] as const

/** What stands between `&` and `;`, such as `amp` or `#65`, as the character that it means; undefined for others. */
export function entityText(name: string): string | undefined {
  return XML_ENTITIES.get(name) ?? referenced(name)
}

function referenced(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|([0-9]{1,7}))$/i.exec(name) ?? []
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  const [first, last] = SURROGATES
  if (!(code > 0 && code <= LAST_CODE_POINT) || (code >= first && code <= last)) return undefined
  return String.fromCodePoint(code)
}
