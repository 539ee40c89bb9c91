import { posix } from 'node:path'
import { parse } from 'yaml'

export interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
}

export interface Compose {
  readonly name: string
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

type Variables = Readonly<Record<string, string>>

const REFERENCE = /\$\{(?<name>\w+)(?:(?<operator>:[-+])(?<word>[^}]*))?\}/g

/**
 * Reads a compose file as `docker compose` does: merge keys, and `${NAME:-default}` and `${NAME:+instead}` in
 * values. A variable that is neither given nor has a default is an error.
 */
export function readCompose(text: string, variables: Variables = {}): Compose {
  return substitute(parse(text, { merge: true }), variables) as Compose
}

function substitute(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return substituteText(value, variables)
  if (Array.isArray(value)) return value.map((item) => substitute(item, variables))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, variables)]))
}

function substituteText(text: string, variables: Variables): string {
  return text.replaceAll(REFERENCE, (reference, ...rest) => {
    const { name, operator, word = '' } = rest.at(-1) as { name: string; operator?: string; word?: string }
    const value = variables[name] ?? ''
    if (operator === ':-') return value === '' ? word : value
    if (operator === ':+') return value === '' ? '' : word
    if (value === '') throw new Error(`${reference} has no value`)
    return value
  })
}

export interface Mount {
  /** A path from the root of the repository, an absolute path of the machine, or the name of a volume. */
  readonly source: string
  readonly target: string
  readonly isVolume: boolean
  readonly isReadOnly: boolean
}

/** The mounts of a service; `folder` is that of the compose file. */
export function mountsOf({ volumes = [] }: Service, folder: string): readonly Mount[] {
  return volumes.map((text) => {
    const [source = '', target = '', mode] = text.split(':')
    return {
      source: source.startsWith('.') ? posix.join(folder, source) : source,
      target,
      isVolume: !/^[./]/.test(source),
      isReadOnly: mode === 'ro',
    }
  })
}

/** Where a path within the container lies in the repository, by the mount that is nearest. */
export function pathOutside(mounts: readonly Mount[], inside: string): string {
  const found = mounts
    .filter(({ target }) => inside === target || inside.startsWith(`${target}/`))
    .toSorted((a, b) => b.target.length - a.target.length)[0]
  if (found === undefined || found.isVolume) throw new Error(`${inside} is not mounted from the repository`)
  return found.source + inside.slice(found.target.length)
}
