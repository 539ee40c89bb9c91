import { isObject, member, readText } from '../parse/json.ts'

/** The resource with the user of a token. Source: real systems; the API document does not have it. */
export const WHOAMI_PATH = '/user/whoami'

const MAX_NAME_CHARACTERS = 256

/** The user name in a whoami response in JSON or XML; undefined if it cannot be read. */
export function decodeUser(text: string): string | undefined {
  const name = text.trimStart().startsWith('<') ? xmlName(text) : jsonName(text)
  return name?.slice(0, MAX_NAME_CHARACTERS)
}

function jsonName(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) ? readText(member(body, 'common_name')) : undefined
  } catch {
    return undefined
  }
}

/** A pattern is sufficient: the name is only logged, so a failure must not refuse the request. */
function xmlName(text: string): string | undefined {
  return readText(/<common_name>([^<]+)<\/common_name>/.exec(text)?.[1])
}
