import { TOKEN_HEADER } from './token_header.ts'

const PLACEHOLDER = '<secret>'
/** A shorter secret would turn ordinary words into placeholders. */
const MIN_CHARACTERS = 4
/** More secrets than one session uses at a time: the password in two forms, the token, and tokens before it. */
const MAX_REMEMBERED = 8

/** Replaces the secrets in text that is quoted from an answer. */
export type Redact = (text: string) => string

export interface Redaction {
  /**
   * The redaction of the answer to a request with these headers: their token or password, and those of earlier
   * requests where `remember` is set. Literal, percent-encoded and in base64; data such as names are not rewritten.
   */
  forRequest(headers: Readonly<Record<string, string>>): Redact
}

/** @param remember not where each request carries the secret of another user */
export function createRedaction(remember: boolean): Redaction {
  let remembered: readonly string[] = []
  return {
    forRequest(headers) {
      const secrets = [...new Set([...remembered, ...secretsIn(headers)])].slice(-MAX_REMEMBERED)
      if (remember) remembered = secrets
      return (text) => redact(text, secrets)
    },
  }
}

function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  const token = headers[TOKEN_HEADER]
  const credentials = Buffer.from(headers['Authorization']?.replace(/^Basic /, '') ?? '', 'base64').toString()
  const password = credentials.slice(credentials.indexOf(':') + 1)
  return [token ?? '', credentials, password].filter(({ length }) => length >= MIN_CHARACTERS)
}

function redact(text: string, secrets: readonly string[]): string {
  // The longest first: one may be part of another.
  const forms = secrets.flatMap(formsOf).toSorted((a, b) => b.length - a.length)
  return forms.reduce((rest, form) => rest.replaceAll(form, PLACEHOLDER), text)
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64')
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    base64,
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]
}
