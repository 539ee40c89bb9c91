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
