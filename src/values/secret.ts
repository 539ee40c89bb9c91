import { inspect } from 'node:util'

const PLACEHOLDER = '<secret>'

/** A token or password. It is printed and serialized as a placeholder; only `reveal` returns the value. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value. Use it only where it is sent or compared. */
  reveal(): string {
    return this.#value
  }

  equals(other: Secret): boolean {
    return this.#value === other.#value
  }

  toString(): string {
    return PLACEHOLDER
  }

  toJSON(): string {
    return PLACEHOLDER
  }

  [inspect.custom](): string {
    return PLACEHOLDER
  }
}

const MAX_SECRET_CHARACTERS = 8192
/** Visible ASCII, the characters that are valid in an HTTP header. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

/**
 * Removes surrounding white space and a byte order mark, which editors and `echo` add.
 * @returns the secret, or the problem as the end of a sentence that begins with its name; the problem never quotes it
 */
export function tokenFromText(text: string): Secret | string {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed === '') return 'is empty'
  if (trimmed.length > MAX_SECRET_CHARACTERS) return `is longer than ${MAX_SECRET_CHARACTERS} characters`
  if (!HEADER_TEXT.test(trimmed))
    return 'contains spaces, line breaks or characters that are not allowed in an HTTP header'
  return new Secret(trimmed)
}

/** As {@link tokenFromText}, but a password may contain any character except a line end. */
export function passwordFromText(text: string): Secret | string {
  const trimmed = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '')
  if (trimmed === '') return 'is empty'
  if (/[\r\n]/.test(trimmed)) return 'has more than one line'
  return new Secret(trimmed)
}
