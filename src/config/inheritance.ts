import { SECTION_NAMES } from './sections.ts'
import type { AUTH_KEY_NAMES } from './values/problems.ts'

/**
 * What a system inherits, key by key, unless it sets the key: members of `defaults`, and the sections of the file. Both
 * work on the data of the file, so that the schema checks complete systems.
 */

/** Members of a system that `defaults` may have. */
export const DEFAULTS = ['auth', 'tls_config', 'labels'] as const

type Mapping = Readonly<Record<string, unknown>>

export function withInherited(data: unknown): unknown {
  if (!isMapping(data) || !Array.isArray(data['systems'])) return data
  const systems = data['systems'].map((system) => (isMapping(system) ? completed(system, data) : system))
  return { ...data, systems }
}

function completed(system: Mapping, file: Mapping): Mapping {
  const inherited = [...DEFAULTS, ...SECTION_NAMES].flatMap((key) => {
    const base = valueAt(file, sourceOf(key))
    const value = key === 'auth' ? mergedAuth(system[key], base) : merged(system[key], base)
    return value === undefined ? [] : [[key, value] as const]
  })
  return { ...system, ...Object.fromEntries(inherited) }
}

function sourceOf(key: string): string[] {
  return DEFAULTS.some((name) => name === key) ? ['defaults', key] : [key]
}

/** The own value, and the base for keys of mappings that it does not have. */
export function merged(own: unknown, base: unknown): unknown {
  if (own === undefined) return base
  if (!isMapping(own) || !isMapping(base)) return own
  return {
    ...base,
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [key, merged(value, base[key])])),
  }
}

/** A token needs no user and no password, and of two forms of a password there is one. */
function mergedAuth(own: unknown, base: unknown): unknown {
  if (!isMapping(own) || !isMapping(base)) return own ?? base
  const has = (...keys: readonly (typeof AUTH_KEY_NAMES)[number][]) => keys.some((key) => key in own)
  const { token, token_file, password, password_file, ...user } = base
  if (has('token', 'token_file')) return own
  if (has('password', 'password_file')) return { ...user, ...own }
  return has('username') ? { ...user, password, password_file, ...own } : { ...base, ...own }
}

/** What a complete system has at a path by inheritance; undefined: nothing, or a value of its own. */
export function inheritedValue(data: unknown, path: readonly PropertyKey[]): unknown {
  const [list, index, key, ...rest] = path
  if (list !== 'systems' || index === undefined || key === undefined) return undefined
  return valueAt(data, path) === undefined ? valueAt(data, [...sourceOf(String(key)), ...rest]) : undefined
}

export function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Mapping)[String(key)]
        : undefined,
    data,
  )
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
