import type { z } from 'zod'
import { type ConfigProblem, pathText } from './problems.ts'
import { keySections, unknownKey } from './unknown_keys.ts'
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

/** Options of `safeParse`: messages in place of those of the library, for schemas without a message of their own. */
export const PARSE_OPTIONS = {
  reportInput: true,
  error: (issue: z.core.$ZodRawIssue): string => {
    const expected = issue.code === 'invalid_type' ? EXPECTED[String(issue['expected'])] : undefined
    return expected ?? 'is not valid'
  },
} as const

/** The message of a schema for values of another type. Other issues get those of {@link PARSE_OPTIONS}. */
export function typeMessage(message: string) {
  return { error: ({ code }: { readonly code?: string }) => (code === 'invalid_type' ? message : undefined) }
}

/** For checks of several values: they run although one of them is wrong, so that all problems are named. */
export const DESPITE_OTHERS = {
  when: ({ issues }: z.core.ParsePayload) => issues.every(({ path = [] }) => path.length > 0),
}

/** For checks of what the schema has converted. */
export const IF_VALID = { when: ({ issues }: z.core.ParsePayload) => issues.length === 0 }

/** Unknown keys come one by one, with what was probably meant. */
export function schemaProblems(
  schema: z.ZodType,
  found: readonly z.core.$ZodIssue[],
  positionOf: YamlText['positionOf'],
): ConfigProblem[] {
  const issues = found.map(innermost)
  const places = issues.some(({ code }) => code === 'unrecognized_keys') ? keySections(schema) : new Map()
  return issues.flatMap(({ path, message, ...issue }): ConfigProblem[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownKey([...path, key], places, positionOf))
    const isMissing = issue.code === 'invalid_type' && issue.input === undefined
    return [
      { path: pathText(path), ...positionOf(path), message: isMissing ? `missing: ${message}` : message },
    ]
  })
}

/** The issue of the last form of a union; other issues as they are. */
function innermost(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  const last = issue.code === 'invalid_union' ? issue.errors.at(-1)?.[0] : undefined
  return last === undefined ? issue : innermost({ ...last, path: [...issue.path, ...last.path] })
}
