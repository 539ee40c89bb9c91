import type { z } from 'zod'
import { type Problem, pathText, unknownKey } from './problems.ts'
import type { YamlText } from './yaml_text.ts'

/** What a value of a type is called in a message. */
const EXPECTED: Readonly<Record<string, string>> = {
  object: 'expected a mapping of keys to values',
  array: 'expected a list',
  string: 'expected text',
  number: 'expected a number',
  int: 'expected a whole number',
  boolean: 'expected true or false',
}

const KNOWN_KEYS = 'known keys: '

/** Options of `safeParse`: messages in place of those of the library, for schemas without a message of their own. */
export const PARSE_OPTIONS = {
  reportInput: true,
  error: (issue: z.core.$ZodRawIssue): string => {
    // Read by schemaProblems: the issue itself has only the unknown keys.
    if (issue.code === 'unrecognized_keys') return `${KNOWN_KEYS}${knownKeys(issue.inst).join(' ')}`
    const expected = issue.code === 'invalid_type' ? EXPECTED[String(issue['expected'])] : undefined
    return expected ?? 'is not valid'
  },
} as const

function knownKeys(schema: unknown): string[] {
  const { shape } = (schema as { _zod?: { def?: { shape?: object } } } | undefined)?._zod?.def ?? {}
  return Object.keys(shape ?? {})
}

/** The message of a schema for values of another type. Other issues get those of {@link PARSE_OPTIONS}. */
export function typeMessage(message: string) {
  return { error: ({ code }: { readonly code?: string }) => (code === 'invalid_type' ? message : undefined) }
}

/** The problems of an issue. Unknown keys are reported one by one, each with the key that was probably meant. */
export function schemaProblems(issue: z.core.$ZodIssue, placeOf: YamlText['placeOf']): Problem[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.startsWith(KNOWN_KEYS)
      ? issue.message.slice(KNOWN_KEYS.length).split(' ')
      : []
    return issue.keys.map((key) => unknownKey([...path, key], known, placeOf))
  }
  if (issue.code === 'invalid_union') {
    const last = issue.errors.at(-1)?.[0]
    if (last !== undefined) return schemaProblems({ ...last, path: [...path, ...last.path] }, placeOf)
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined
  const message = isMissing ? `missing: ${issue.message}` : issue.message
  return [{ path: pathText(path), ...placeOf(path), message }]
}
