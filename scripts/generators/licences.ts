/** One package of package-lock.json. */
export interface LockedPackage {
  /** Path of the folder: `node_modules/a/node_modules/b`. */
  readonly path: string
  readonly name: string
  readonly version: string
  /** An SPDX expression; empty if the package has none. */
  readonly licence: string
  /** The checksum of its archive: `sha512-` and base64. */
  readonly integrity: string
  /** Whether it is installed for development only. */
  readonly isDevelopment: boolean
  /** Paths of the packages to which its dependencies resolve. */
  readonly dependencies: readonly string[]
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>
}

export interface LockEntry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly dev?: boolean
}

/** The packages of a lockfile of version 3, sorted by path as in the file. */
export function readLockfile(text: string): readonly LockedPackage[] {
  const { packages } = JSON.parse(text) as Lock
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      path,
      name: path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version: entry.version ?? '',
      licence: entry.license ?? '',
      integrity: entry.integrity ?? '',
      // `devOptional` is needed for development, and by an optional dependency that is shipped.
      isDevelopment: entry.dev === true,
      dependencies: dependenciesOf(path, packages),
    }))
}

const FOLDER = 'node_modules/'

/** Resolves the dependencies of the package at `path` as Node.js does: in its own folder, or in the nearest parent. */
function dependenciesOf(path: string, packages: Lock['packages']): readonly string[] {
  return Object.keys(packages[path]?.dependencies ?? {}).map((name) => {
    for (let from = path; ; from = from.slice(0, Math.max(0, from.lastIndexOf(`/${FOLDER}`)))) {
      const candidate = `${from}${from === '' ? '' : '/'}${FOLDER}${name}`
      if (candidate in packages) return candidate
      if (from === '') throw new Error(`package-lock.json has no ${name}, a dependency of ${path}`)
    }
  })
}

/** Permissive licences. Read a licence before adding it here. */
export const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'] as const

/** Packages that are shipped under a licence that is not allowed, one sentence each. */
export function licenceFindings(packages: readonly LockedPackage[]): string[] {
  return shipped(packages)
    .filter(({ licence }) => !isAllowed(licence))
    .map(({ name, version, licence }) => `${name} ${version}: ${licence || 'no licence'} is not allowed`)
}

/** `A OR B` requires one allowed licence, `A AND B` both. Other expressions are not allowed. */
function isAllowed(expression: string): boolean {
  const bare = expression.replaceAll(/[()]/g, '')
  return bare
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((name) => ALLOWED.some((known) => known === name)))
}

/** The text of docs/licences.md. */
export function licencesDocument(packages: readonly LockedPackage[]): string {
  const byLicence = Map.groupBy(shipped(packages), ({ licence }) => licence)
  const lists = [...byLicence].map(
    ([licence, ones]) =>
      `- **${licence}**: ${ones.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
  )
  return `<!-- Generated from package-lock.json by \`npm run generate\`: do not edit. -->

# Licences

sds-exporter itself is under [Apache-2.0](../LICENSE). It runs with these packages, by the licence that they name:

${lists.join('\n')}
`
}

/** The packages installed with the program, sorted by name, without duplicates. */
function shipped(packages: readonly LockedPackage[]): readonly LockedPackage[] {
  const key = ({ name, version }: LockedPackage) => `${name} ${version}`
  const unique = new Map(
    packages.filter(({ isDevelopment }) => !isDevelopment).map((one) => [key(one), one] as const),
  )
  return [...unique.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
