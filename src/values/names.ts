import { createHash } from 'node:crypto'
import { shortened } from '../text.ts'

/** Maximum length of a name as a label value; the rest is replaced by a fingerprint of the name. */
const MAX_NAME_CHARACTERS = 200
/** 128 bits: two names with the same one, which would give two equal series, cannot be found. */
const FINGERPRINT_CHARACTERS = 32

/** Matches whole names; undefined for an empty expression, which is a filter that is not set. @throws {SyntaxError} */
export function wholeName(expression: string): RegExp | undefined {
  return expression === '' ? undefined : new RegExp(`^(?:${expression})$`)
}

/**
 * A name of bounded length: every series of a node repeats it. Lone surrogates become U+FFFD, because texts that differ only
 * in them would be equal label values.
 */
export function boundedName(text: string): string {
  const name = text.toWellFormed()
  if (name.length <= MAX_NAME_CHARACTERS) return name
  const fingerprint = createHash('sha256').update(name).digest('hex').slice(0, FINGERPRINT_CHARACTERS)
  return `${shortened(name, MAX_NAME_CHARACTERS)}…${fingerprint}`
}

/** Ids of real systems are much shorter. An id is a label of every series, so its length is limited. */
export const MAX_ID_CHARACTERS = 256
/** Ids that would change the path of a request even if percent-encoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is for control characters
const UNSAFE_ID = /^\.+$|[/\\?#%\s\u0000-\u001f\u007f]/

/** Why an id of a storage system cannot be one path segment; undefined if it can. Ids are otherwise opaque. */
export function idProblem(id: string): string | undefined {
  if (id !== '' && id.length <= MAX_ID_CHARACTERS && !UNSAFE_ID.test(id) && id.isWellFormed())
    return undefined
  return 'cannot be part of a path: it is empty, too long, or has a slash, % or blank'
}
