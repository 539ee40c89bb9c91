/** No id of a real system is nearly as long; as a label it would be carried by every series. */
export const MAX_ID_CHARACTERS = 256
/** Would lead to another resource, or out of the path, however it is encoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const UNSAFE_ID = /^\.+$|[/\\?#%\s\u0000-\u001f\u007f]/

/** Why an id of a storage system cannot be one segment of a path; undefined for one that can. Ids are opaque else. */
export function idProblem(id: string): string | undefined {
  if (id !== '' && id.length <= MAX_ID_CHARACTERS && !UNSAFE_ID.test(id) && id.isWellFormed())
    return undefined
  return 'cannot be part of a path: it is empty, too long, or has a slash, % or blank'
}
