/** A web page, such as a login form or that of a proxy: the storage system itself never answers with HTML. */
export function isPage(text: string): boolean {
  return /^\s*<(!doctype\s+html|html)[\s>]/i.test(text)
}

/** XML that says so, or an error body of the system; of other markup it is not known. */
export function isPlainlyXml(text: string): boolean {
  return /^\s*<(\?xml|error)/i.test(text)
}

/** The entities that XML has of its own. */
export const XML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['amp', '&'],
])
