import { type Problem, pathText } from './problems.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Replaces `${NAME}` in every text value of a parsed file by the environment variable of that name.
 * Keys are not changed. An unset variable is a problem; its reference is not replaced.
 */
export function substituteVariables(
  value: unknown,
  environment: Environment,
  problems: Problem[],
  path: readonly PropertyKey[] = [],
): unknown {
  if (typeof value === 'string') return substituteText(value, environment, problems, path)
  if (Array.isArray(value)) {
    return value.map((item, index) => substituteVariables(item, environment, problems, [...path, index]))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  return Object.fromEntries(
    entries.map(([key, item]) => [key, substituteVariables(item, environment, problems, [...path, key])]),
  )
}

function substituteText(
  text: string,
  environment: Environment,
  problems: Problem[],
  path: readonly PropertyKey[],
): string {
  return text.replace(REFERENCE, (reference, name: string) => {
    const value = environment[name]
    // Names such as toString are inherited members.
    if (typeof value === 'string') return value
    problems.push({ path: pathText(path), message: `the environment variable ${name} is not set` })
    return reference
  })
}
