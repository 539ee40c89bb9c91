/** Contents of the files that name the version. */
export interface VersionedFiles {
  readonly manifest: string
  readonly dockerfile: string
  readonly changelog: string
  /** By path. */
  readonly kustomizations: Readonly<Record<string, string>>
}

/** Deviations from the version of the tag, one sentence each. */
export function versionFindings(tag: string, files: VersionedFiles): string[] {
  // npm refuses to publish a prerelease version without a dist-tag. The release publishes the image before.
  if (!/^v\d+\.\d+\.\d+$/.test(tag)) return [`'${tag}' is not a tag of a release, such as v1.2.3`]
  const wanted = tag.slice(1)
  const { version } = JSON.parse(files.manifest) as { version: string }
  const label = /^ARG VERSION=(.*)$/m.exec(files.dockerfile)?.[1]
  const images = Object.entries(files.kustomizations).flatMap(([path, text]) => {
    const tags = [...text.matchAll(/^\s*(?:- )?newTag:\s*(\S+)/gm)].map(([, found]) => found)
    return tags.filter((found) => found !== wanted).map((found) => `${path} deploys ${found}, not ${wanted}`)
  })
  return [
    ...(version === wanted ? [] : [`package.json has the version ${version}, not ${wanted}`]),
    ...(label === wanted ? [] : [`deploy/docker/Dockerfile has the version ${label}, not ${wanted}`]),
    ...(hasSection(files.changelog, wanted) ? [] : [`CHANGELOG.md has no section "[${wanted}] - DATE"`]),
    ...images,
  ]
}

function hasSection(changelog: string, version: string): boolean {
  const headings = changelog.match(/^## .*$/gm) ?? []
  return headings.some((line) => line.startsWith(`## [${version}] - `) && /\d{4}-\d\d-\d\d$/.test(line))
}
