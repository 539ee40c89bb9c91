import { inspect } from 'node:util'

const PLACEHOLDER = '<secret>'

/** A token or password. Prints as a placeholder wherever it ends up by accident; `reveal` is the one way out. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The text itself: for the one header that carries it, and nothing else. */
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
/** What an HTTP header can carry: visible ASCII. Anything else would fail later, far from its cause. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

/**
 * Trims what editors and `echo` leave around a secret (blanks, line ends, a byte order mark).
 * @returns the secret, or a sentence that says what is wrong with it, without showing it
 */
export function tokenFromText(text: string): Secret | string {
  const trimmed = text.replace(/^\uFEFF/, '').trim()
  if (trimmed === '') return 'is empty'
  if (trimmed.length > MAX_SECRET_CHARACTERS) return `is longer than ${MAX_SECRET_CHARACTERS} characters`
  if (!HEADER_TEXT.test(trimmed))
    return 'contains blanks, line ends or characters that no HTTP header can carry'
  return new Secret(trimmed)
}

/** As {@link tokenFromText}, but a password may contain any character except a line end. */
export function passwordFromText(text: string): Secret | string {
  const trimmed = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '')
  if (trimmed === '') return 'is empty'
  if (/[\r\n]/.test(trimmed)) return 'has more than one line'
  return new Secret(trimmed)
}
