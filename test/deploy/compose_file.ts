import { posix } from 'node:path'
import { parse } from 'yaml'

export interface Service {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly entrypoint?: readonly string[]
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
  readonly mem_limit?: string
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

const REFERENCE = /\$\$|\$\{(?<name>\w+)(?:(?<operator>:[-+?])(?<word>[^}]*))?\}/g

/**
 * Parses a compose file, with merge keys, `${NAME:-default}`, `${NAME:+alternative}`, `${NAME:?problem}` and `$$` for `$`.
 * @throws for a variable without value and default
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
    if (reference === '$$') return '$'
    const { name, operator, word = '' } = rest.at(-1) as { name: string; operator?: string; word?: string }
    const value = variables[name] ?? ''
    if (operator === ':-') return value === '' ? word : value
    if (operator === ':+') return value === '' ? '' : word
    if (value === '') throw new Error(`${reference} has no value`)
    return value
  })
}

export interface Mount {
  /** A path relative to the root of the repository, an absolute path, or the name of a volume. */
  readonly source: string
  readonly target: string
  readonly isVolume: boolean
  readonly isReadOnly: boolean
  /** SELinux gives it a label that containers may read. */
  readonly isLabelled: boolean
}

/** The mounts of a service. @param folder the folder of the compose file */
export function mountsOf({ volumes = [] }: Service, folder: string): readonly Mount[] {
  return volumes.map((text) => {
    const [source = '', target = '', options = ''] = text.split(':')
    const isSet = (option: string) => options.split(',').includes(option)
    return {
      source: source.startsWith('.') ? posix.join(folder, source) : source,
      target,
      isVolume: !/^[./]/.test(source),
      isReadOnly: isSet('ro'),
      isLabelled: isSet('z'),
    }
  })
}

/** The path in the repository of a path in the container, by the longest matching mount. */
export function pathOutside(mounts: readonly Mount[], inside: string): string {
  const found = mounts
    .filter(({ target }) => inside === target || inside.startsWith(`${target}/`))
    .toSorted((a, b) => b.target.length - a.target.length)[0]
  if (found === undefined || found.isVolume) throw new Error(`${inside} is not mounted from the repository`)
  return found.source + inside.slice(found.target.length)
}
