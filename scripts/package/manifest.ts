/** package.json of the repository. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly [key: string]: unknown
}

/** Keys that are about the repository, not about the package. */
const OF_REPOSITORY = ['private', 'scripts', 'devDependencies', 'allowScripts']

/**
 * package.json of the package. `repository`, `homepage` and `bugs` are derived from one URL. Dependencies have the locked
 * versions, because npm ignores the npm-shrinkwrap.json of an archive that is installed from a file.
 */
export function packageManifest(manifest: Manifest, lock: Lock, repository: string | undefined): Manifest {
  const kept = Object.entries(manifest).filter(([key]) => !OF_REPOSITORY.includes(key))
  const locked = (names: unknown) =>
    Object.fromEntries(
      Object.keys(names as object).map((name) => [name, lock.packages[`node_modules/${name}`]?.['version']]),
    )
  return {
    ...(Object.fromEntries(kept) as unknown as Manifest),
    dependencies: locked(manifest['dependencies']),
    optionalDependencies: locked(manifest['optionalDependencies']),
    ...(repository !== undefined && {
      homepage: `${repository}#readme`,
      bugs: { url: `${repository}/issues` },
      repository: { type: 'git', url: `git+${repository}.git` },
    }),
  }
}

type Entry = Readonly<Record<string, unknown>>

interface Lock {
  readonly packages: Readonly<Record<string, Entry>>
  readonly [key: string]: unknown
}

/**
 * npm-shrinkwrap.json: package-lock.json without the development dependencies. npm installs the package with exactly
 * these versions and verifies their checksums.
 */
export function shrinkwrap(lock: Lock): Lock {
  const shipped = Object.entries(lock.packages).filter(([, entry]) => entry['dev'] !== true)
  const packages = shipped.map(([path, entry]) => {
    const { devDependencies: _development, devOptional, ...rest } = entry
    return [path, devOptional === true ? { ...rest, optional: true } : rest] as const
  })
  return { ...lock, packages: Object.fromEntries(packages) }
}
