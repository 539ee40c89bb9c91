import { isObject, member, readText } from '../parse/json.ts'

/** Who holds a token. Known from real systems, not from the API document. */
export const WHOAMI_PATH = '/user/whoami'

const MAX_NAME_CHARACTERS = 256

/** The name in an answer of whoami, in JSON or XML; undefined where there is none that can be read. */
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

/** One flat element, found by pattern: it is worth a line in the audit, not a refusal. */
function xmlName(text: string): string | undefined {
  return readText(/<common_name>([^<]+)<\/common_name>/.exec(text)?.[1])
}
