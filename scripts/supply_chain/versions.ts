/** A file that names the version of the product. */
interface VersionedFile {
  /** A path, or a pattern of paths, from the root of the repository. */
  readonly files: string
  /** Where the version is, as the second group. */
  readonly place: RegExp
  /** Whether some of the files do not name it. */
  readonly isOptional?: true
}

/** Files in which people, or `npm run release:version`, write the version. */
export const WRITTEN: readonly VersionedFile[] = [
  { files: 'deploy/docker/Dockerfile', place: /^(ARG VERSION=)(\S+)/m },
  {
    files: 'deploy/kubernetes/overlays/*/kustomization.yaml',
    place: /^(\s*(?:- )?newTag:\s*)(\S+)/m,
    isOptional: true,
  },
  // In commands to copy, and in an example of the log.
  {
    files: '{README,docs/install-release,docs/operations}.md',
    place:
      /(^version=|^\$version = '|\bsds-exporter-|" version=)(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+?)?)(?=\.tgz|-1\.\w+\.rpm| node=|'?$)/m,
  },
]

/** Files in which programs write it. */
const GENERATED: readonly VersionedFile[] = [
  { files: 'package.json', place: /^( {2}"version": ")([^"]+)/m },
  { files: 'package-lock.json', place: /^( {2}"version": ")([^"]+)/m },
  { files: 'deploy/helm/sds-exporter/Chart.yaml', place: /^(version: )(\S+)/m },
]
/** All files that must have the version of a release, as patterns. */
export const VERSIONED = [...GENERATED, ...WRITTEN]

/** A release, or a pre-release such as `1.2.3-rc.1`. */
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z][0-9A-Za-z.-]*)?$/

/** @throws unless it is a version */
export function mustBeVersion(version: string): void {
  if (!VERSION.test(version)) throw new Error(`'${version}' is not a version, such as 1.2.3 or 1.2.3-rc.1`)
}

/** Texts of files by path, of all files with the version, and CHANGELOG.md. */
export type Texts = Readonly<Record<string, string>>

/**
 * Deviations from the version of the tag, one sentence each.
 * @param find paths of a pattern
 */
export function versionFindings(tag: string, texts: Texts, find: (pattern: string) => string[]): string[] {
  const wanted = tag.slice(1)
  if (!tag.startsWith('v') || !VERSION.test(wanted))
    return [`'${tag}' is not a tag of a release, such as v1.2.3 or v1.2.3-rc.1`]
  const others = VERSIONED.flatMap(({ files, place, isOptional }) =>
    find(files).flatMap((path) => {
      const found = place.exec(texts[path] ?? '')?.[2]
      return found === wanted || (isOptional && found === undefined)
        ? []
        : [`${path} has the version ${found}, not ${wanted}`]
    }),
  )
  const isDescribed = hasSection(texts['CHANGELOG.md'] ?? '', wanted)
  return [...others, ...(isDescribed ? [] : [`CHANGELOG.md has no section "[${wanted}] - DATE"`])]
}

function hasSection(changelog: string, version: string): boolean {
  const headings = changelog.match(/^## .*$/gm) ?? []
  return headings.some((line) => line.startsWith(`## [${version}] - `) && /\d{4}-\d\d-\d\d$/.test(line))
}

/** The text of a file with another version. */
export function withVersion(text: string, { place }: VersionedFile, version: string): string {
  return text.replaceAll(new RegExp(place.source, 'gm'), (_, before: string) => before + version)
}

/**
 * The changelog with the unreleased changes under a version, and an empty section for the next ones.
 * @param day `YYYY-MM-DD`
 */
export function withReleasedChanges(changelog: string, version: string, day: string): string {
  return changelog.replace(/^## \[Unreleased\]\n/m, (heading) => `${heading}\n## [${version}] - ${day}\n`)
}
