import { entityText } from '../parse/markup.ts'
import { TOKEN_HEADER } from './credentials.ts'

const PLACEHOLDER = '<secret>'
/** A shorter secret would turn ordinary words into placeholders. */
const MIN_CHARACTERS = 4
/** More secrets than one session uses at a time: the password in two forms, the token, and tokens before it. */
const MAX_REMEMBERED = 8
/** Text that is searched; the rest is dropped. More than a message quotes, in the longest encoding of a character. */
const MAX_SEARCHED_CHARACTERS = 4000

/** Returns the beginning of text that is quoted from a response; a placeholder if it has a secret. */
export type Redact = (text: string) => string

/**
 * Creates the redaction of the response to a request with these headers: their token or password, and those of earlier
 * requests where `remember` is set, in all {@link encodingsOf}. Data such as names are not rewritten.
 * @param remember false if each request has the secret of another user
 */
export function createRedaction(remember: boolean) {
  let remembered: readonly string[] = []
  return (headers: Readonly<Record<string, string>>): Redact => {
    const secrets = [...new Set([...remembered, ...secretsIn(headers)])].slice(-MAX_REMEMBERED)
    if (remember) remembered = secrets
    return (text) => redact(text, secrets.flatMap(encodingsOf))
  }
}

/** Token and password in the headers of a request. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const token = headers[TOKEN_HEADER]
  const credentials = Buffer.from(headers['Authorization']?.replace(/^Basic /, '') ?? '', 'base64').toString()
  const password = credentials.slice(credentials.indexOf(':') + 1)
  return [token ?? '', credentials, password].filter(({ length }) => length >= MIN_CHARACTERS)
}

/** Every encoding of a secret as a whole. Encodings of single characters are undone by {@link unescapedBytes} instead. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  const hex = bytes.toString('hex')
  return [secret, `${base64}==`, `${base64}=`, base64, bytes.toString('base64url'), hex, hex.toUpperCase()]
}

/** A text that has a secret, also in an escaped form, is replaced as a whole. */
function redact(whole: string, secrets: readonly string[]): string {
  const text = whole.slice(0, MAX_SEARCHED_CHARACTERS)
  const isCut = text.length < whole.length
  const bytes = unescapedBytes(text)
  const isInText = (secret: string) =>
    hasSecret(text, secret, isCut) || hasSecret(bytes, unescapedBytes(secret), isCut)
  return secrets.some(isInText) ? PLACEHOLDER : text
}

/** @param isCut whether the end of the text may be the beginning of the secret */
function hasSecret(text: string, secret: string, isCut: boolean): boolean {
  if (secret.length < MIN_CHARACTERS) return false
  if (text.includes(secret)) return true
  for (let length = isCut ? secret.length - 1 : 0; length >= MIN_CHARACTERS; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return true
  return false
}

/** UTF-8 with one character for each byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** Percent-encoding, escapes of JSON, and references of HTML and XML, each also of itself. */
const ESCAPES = /%(?:25)*([\da-f]{2})|\\+u([\da-f]{4})|&(?:amp;)*(#?\w{2,8});|[+\\]/gi

/**
 * The bytes of a text without the escapes of single characters: a secret becomes the same as a text that has it in any of
 * them. Backslashes are left out, and + is a blank, as in forms.
 */
export function unescapedBytes(text: string): string {
  const bytes = bytesOf(text.replaceAll(/\\+/g, '\\'))
  return bytes.replaceAll(ESCAPES, (...match: (string | undefined)[]) =>
    charactersOf(match.slice(0, 4)).replaceAll('\\', '').replaceAll('+', ' '),
  )
}

function charactersOf([whole = '', percent, unicode, entity]: readonly (string | undefined)[]): string {
  if (percent !== undefined) return String.fromCharCode(Number.parseInt(percent, 16))
  if (unicode !== undefined) return bytesOf(String.fromCharCode(Number.parseInt(unicode, 16)))
  return entity === undefined ? whole : bytesOf(entityText(entity) ?? `&${entity};`)
}
