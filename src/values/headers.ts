import { Secret } from './secret.ts'

/** HTTP headers; the values may be secrets. */
type SecretHeaders = Readonly<Record<string, Secret>>

export const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
export const HEADER_VALUE = /^[\t\x20-\x7e]+$/
/** The exporter sets them. */
const SET_BY_EXPORTER = /^(content-(type|encoding|length)|host|connection|transfer-encoding|user-agent)$/i

/** The problem of a header, as the end of a sentence that begins with its place; the value is never quoted. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not the name of an HTTP header'
  if (SET_BY_EXPORTER.test(name)) return 'is set by the exporter'
  return HEADER_VALUE.test(value.trim())
    ? undefined
    : 'is empty or has characters that are not allowed in an HTTP header'
}

/** Headers as in HTTP, `Name: value`, one a line. @returns the problem as the end of a sentence, which never quotes the text */
export function headersFromText(text: string): SecretHeaders | string {
  const headers: Record<string, Secret> = {}
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()]
    const problem = colon < 0 ? 'is not of the form Name: value' : headerProblem(name, value)
    if (problem !== undefined) return `line ${index + 1} ${problem}`
    headers[name.toLowerCase()] = new Secret(value)
  }
  return Object.keys(headers).length === 0 ? 'has no header' : headers
}
