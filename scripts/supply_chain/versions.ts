/** Deviations from the version of the tag, one sentence each. `kustomizations`: file contents by path. */
export function versionFindings(
  tag: string,
  manifest: string,
  kustomizations: Readonly<Record<string, string>>,
): string[] {
  // npm refuses to publish a prerelease version without a dist-tag. The release publishes the image before.
  if (!/^v\d+\.\d+\.\d+$/.test(tag)) return [`'${tag}' is not a tag of a release, such as v1.2.3`]
  const wanted = tag.slice(1)
  const { version } = JSON.parse(manifest) as { version: string }
  const package_ = version === wanted ? [] : [`package.json has the version ${version}, not ${wanted}`]
  const images = Object.entries(kustomizations).flatMap(([path, text]) => {
    const tags = [...text.matchAll(/^\s*(?:- )?newTag:\s*(\S+)/gm)].map(([, found]) => found)
    return tags.filter((found) => found !== wanted).map((found) => `${path} deploys ${found}, not ${wanted}`)
  })
  return [...package_, ...images]
}
