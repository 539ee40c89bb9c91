import { entityText } from '../parse/markup.ts'
import { TOKEN_HEADER } from './credentials.ts'

const PLACEHOLDER = '<secret>'
/** A shorter secret would turn ordinary words into placeholders. */
const MIN_CHARACTERS = 4
/** More secrets than one session uses at a time: the password in two forms, the token, and tokens before it. */
const MAX_REMEMBERED = 8
/** Text that is searched; the rest is dropped. More than a message quotes, in the longest encoding of a character. */
const MAX_SEARCHED_CHARACTERS = 4000

/** Returns the beginning of text that is quoted from an answer, with secrets replaced. */
export type Redact = (text: string) => string

/**
 * The redaction of the answer to a request with these headers: their token or password, and those of earlier
 * requests where `remember` is set, in all {@link encodingsOf}. Data such as names are not rewritten.
 */
export type Redaction = (headers: Readonly<Record<string, string>>) => Redact

/** @param remember not where each request carries the secret of another user */
export function createRedaction(remember: boolean): Redaction {
  let remembered: readonly string[] = []
  return (headers) => {
    const secrets = [...new Set([...remembered, ...secretsIn(headers)])].slice(-MAX_REMEMBERED)
    if (remember) remembered = secrets
    return (text) => redact(text, secrets)
  }
}

/** Token and password in the headers of a request. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const token = headers[TOKEN_HEADER]
  const credentials = Buffer.from(headers['Authorization']?.replace(/^Basic /, '') ?? '', 'base64').toString()
  const password = credentials.slice(credentials.indexOf(':') + 1)
  return [token ?? '', credentials, password].filter(({ length }) => length >= MIN_CHARACTERS)
}

/** Every encoding of a secret as a whole. Encodings of single characters are undone by {@link unescaped} instead. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  const hex = bytes.toString('hex')
  return [secret, `${base64}==`, `${base64}=`, base64, bytes.toString('base64url'), hex, hex.toUpperCase()]
}

function redact(whole: string, secrets: readonly string[]): string {
  const text = whole.slice(0, MAX_SEARCHED_CHARACTERS)
  const isCut = text.length < whole.length
  const source = bytesOf(text)
  const isHidden = new Uint8Array(source.length)
  for (const read of [literal, unescaped]) {
    const { bytes, starts } = read(source)
    for (const encoding of secrets.flatMap(encodingsOf))
      for (const { from, to } of occurrences(bytes, read(bytesOf(encoding)).bytes, isCut))
        isHidden.fill(1, starts[from], starts[to])
  }
  let redacted = ''
  for (let from = 0, to = 0; from < source.length; from = to) {
    while (to < source.length && isHidden[to] === isHidden[from]) to += 1
    redacted += isHidden[from] === 1 ? PLACEHOLDER : source.slice(from, to)
  }
  return Buffer.from(redacted, 'latin1').toString()
}

/** UTF-8 with one character for each byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

interface Decoded {
  readonly bytes: string
  /** Where each byte begins in the source; at the end the length of the source. */
  readonly starts: readonly number[]
}

function literal(source: string): Decoded {
  return { bytes: source, starts: Array.from({ length: source.length + 1 }, (_, index) => index) }
}

/** Percent-encoding, escapes of JSON, and references of HTML and XML, each also of itself. */
const ESCAPES = /%(?:25)*([\da-f]{2})|\\+u([\da-f]{4})|&(?:amp;)*(#?\w{2,8});|[+\\]/gi

/**
 * Undoes the escapes of single characters: a secret becomes the same as a text that has it in any of them. Backslashes
 * are left out, and + is a blank, as in forms.
 */
function unescaped(source: string): Decoded {
  let bytes = ''
  const starts: number[] = []
  let end = 0
  const addUnchanged = (to: number) => {
    for (; end < to; end += 1) starts.push(end)
  }
  for (const match of source.matchAll(ESCAPES)) {
    const characters = charactersOf(match).replaceAll('\\', '').replaceAll('+', ' ')
    bytes += source.slice(end, match.index) + characters
    addUnchanged(match.index)
    starts.push(...Array.from(characters, () => match.index))
    end = match.index + match[0].length
  }
  bytes += source.slice(end)
  addUnchanged(source.length)
  return { bytes, starts: [...starts, source.length] }
}

/** The bytes of a text whose escapes of single characters are undone, as {@link unescaped}, also of a long one. */
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

/**
 * Where a word occurs in a text, by Knuth, Morris and Pratt: in linear time also for repeated characters.
 * @param isCut whether the end of the text may be the beginning of the word
 */
function* occurrences(text: string, word: string, isCut: boolean): Generator<{ from: number; to: number }> {
  if (word === '') return
  const borders = bordersOf(word)
  let matched = 0
  for (let index = 0; index < text.length; index += 1) {
    matched = longer(word, borders, matched, text[index])
    if (matched < word.length) continue
    yield { from: index + 1 - matched, to: index + 1 }
    matched = borders[matched - 1] ?? 0
  }
  if (isCut) yield { from: text.length - matched, to: text.length }
}

/** For each beginning of a word the length of the longest shorter beginning that is also its end. */
function bordersOf(word: string): readonly number[] {
  const borders = [0]
  for (let index = 1; index < word.length; index += 1)
    borders.push(longer(word, borders, borders[index - 1] ?? 0, word[index]))
  return borders
}

/** The length of the beginning of the word that ends with the next character, after one of length `matched`. */
function longer(word: string, borders: readonly number[], matched: number, next: string | undefined): number {
  let length = matched
  while (length > 0 && word[length] !== next) length = borders[length - 1] ?? 0
  return word[length] === next ? length + 1 : 0
}
