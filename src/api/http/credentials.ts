import { Secret, tokenFromText } from '../../values/secret.ts'
import { ApiError } from '../errors/errors.ts'

/** The header that carries the token, both ways. API document, "Authentication", rule 1. */
export const TOKEN_HEADER = 'X-SDS-AUTH-TOKEN'

/** What a request sends besides its other headers. */
export function tokenHeader(token: Secret): Readonly<Record<string, string>> {
  return { [TOKEN_HEADER]: token.reveal() }
}

/** What a login sends: name and password in UTF-8. */
export function basicHeader(username: string, password: Secret): Readonly<Record<string, string>> {
  const credentials = Buffer.from(`${username}:${password.reveal()}`).toString('base64')
  return { Authorization: `Basic ${credentials}` }
}

/**
 * The token in the response to a login that was accepted.
 * @throws {ApiError} `schema` for a token that cannot be one, `html` where there is none: a web server that responds
 *   to everything with its own page is not the storage system, and another endpoint may be
 */
export function tokenOf({ header }: { header: (name: string) => string | undefined }): Secret {
  const text = header(TOKEN_HEADER)
  const token = tokenFromText(text ?? '')
  if (token instanceof Secret) return token
  const words = `the login was accepted, but the header ${TOKEN_HEADER} of the response ${token}: is it the right address?`
  throw new ApiError(text === undefined ? 'html' : 'schema', words)
}

const PLACEHOLDER = '<secret>'
/** A shorter secret would turn ordinary words into placeholders. */
const MIN_CHARACTERS = 4
/** More secrets than one session uses at a time: the password in two forms, the token, and tokens before it. */
const MAX_REMEMBERED = 8
/** The rest is dropped. More than a message quotes; the end of a body may be the beginning of a secret. */
const MAX_QUOTED_CHARACTERS = 4000

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

export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const token = headers[TOKEN_HEADER]
  const credentials = Buffer.from(headers['Authorization']?.replace(/^Basic /, '') ?? '', 'base64').toString()
  const password = credentials.slice(credentials.indexOf(':') + 1)
  return [token ?? '', credentials, password].filter(isLong)
}

/** As {@link Redact}, with the values of headers that are secrets, whole and without the scheme before a credential. */
export function redactValues(text: string, values: readonly string[]): string {
  const secrets = values.flatMap((value) => {
    const credentials = value.slice(value.indexOf(' ') + 1)
    return [value, credentials, ...secretsIn({ Authorization: `Basic ${credentials}` })]
  })
  return redact(text, secrets.filter(isLong).flatMap(encodingsOf))
}

function isLong({ length }: string): boolean {
  return length >= MIN_CHARACTERS
}

/** A secret, and its encodings as a whole. Percent-encoding is undone by {@link percentDecoded} instead. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [secret, `${base64}==`, `${base64}=`, base64, bytes.toString('base64url')]
}

/** A text that has a secret, also encoded, is replaced as a whole. */
function redact(text: string, secrets: readonly string[]): string {
  const bytes = percentDecoded(text)
  const isInText = (secret: string) => text.includes(secret) || bytes.includes(percentDecoded(secret))
  return secrets.some(isInText) ? PLACEHOLDER : text.slice(0, MAX_QUOTED_CHARACTERS)
}

/** UTF-8 with one character for each byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** An encoded byte, also repeatedly encoded. */
const ENCODED_BYTE = /%(?:25)*([\da-f]{2})/gi

/** The bytes of a text without percent-encoding, with a blank for each +, as in forms. */
export function percentDecoded(text: string): string {
  return bytesOf(text)
    .replaceAll(ENCODED_BYTE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll('+', ' ')
}
