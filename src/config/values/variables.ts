export type Environment = Readonly<Record<string, string | undefined>>

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g
const ESCAPED = '$${'

type AddProblem = (path: readonly PropertyKey[], message: string) => void

/**
 * Replaces `${NAME}` in every text value of a parsed file by the environment variable of that name, and
 * `${NAME:-default}` by the default if the variable is unset or empty, as shells do. `$${` becomes `${`. Keys are not
 * changed. An unset variable without a default is a problem; its reference is not replaced.
 */
export function substituteVariables(
  value: unknown,
  environment: Environment,
  addProblem: AddProblem,
  path: readonly PropertyKey[] = [],
): unknown {
  const below = (item: unknown, key: PropertyKey) =>
    substituteVariables(item, environment, addProblem, [...path, key])
  if (typeof value === 'string') return substituteText(value, environment, (text) => addProblem(path, text))
  if (Array.isArray(value)) return value.map(below)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, below(item, key)]))
}

function substituteText(
  text: string,
  environment: Environment,
  addProblem: (message: string) => void,
): string {
  // The expression takes quadratic time for references without an end.
  const end = text.lastIndexOf('}') + 1
  const replaced = text
    .slice(0, end)
    .replace(REFERENCE, (reference, name = '', fallback: string | undefined) => {
      if (reference === ESCAPED) return '${'
      const value = environment[name]
      // Excludes inherited members, such as toString.
      const isSet = typeof value === 'string'
      if (fallback !== undefined) return isSet && value !== '' ? value : fallback
      if (isSet) return value
      addProblem(`the environment variable ${name} is not set`)
      return reference
    })
  return replaced + text.slice(end).replaceAll(ESCAPED, () => '${')
}
