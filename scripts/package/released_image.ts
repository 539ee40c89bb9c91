/** Where a release is published. */
export interface Release {
  /** Without a tag. */
  readonly image: string
  /** `sha256:…` */
  readonly digest: string
  /** URL of the repository. */
  readonly repository: string
}

/** The text of a deployment file with the released image instead of that of the example; others are not changed. */
export function withReleasedImage(path: string, text: string, release: Release): string {
  const { image, digest, repository } = release
  if (path === 'deploy/helm/sds-exporter/values.yaml') {
    const named = replaced(path, text, /^ {2}repository: .*$/m, `  repository: ${image}`)
    return replaced(path, named, /^ {2}digest: ""$/m, `  digest: ${digest}`)
  }
  if (path === 'deploy/helm/sds-exporter/Chart.yaml') {
    const icon = `${repository}/raw/HEAD/docs/images/icon.svg`
    return `${text}home: ${repository}\nsources:\n  - ${repository}\nicon: ${icon}\n`
  }
  if (path === 'deploy/compose/compose.yaml') {
    const built = /^ {4}image: \$\{SDS_IMAGE:-sds-exporter:local\}\n {4}build:\n(?: {6}.*\n)+/m
    return replaced(path, text, built, `    image: \${SDS_IMAGE:-${image}@${digest}}\n`)
  }
  if (!/^deploy\/kubernetes\/overlays\/[^/]+\/kustomization\.yaml$/.test(path)) return text
  return text
    .replaceAll(/^ {4}newName: \S+.*$/gm, `    newName: ${image}`)
    .replaceAll(/^ {4}newTag: \S+$/gm, `    digest: ${digest}`)
}

/** @throws if the file does not have what is to be replaced */
function replaced(path: string, text: string, pattern: RegExp, replacement: string): string {
  if (!pattern.test(text)) throw new Error(`${path} has no ${pattern.source}`)
  return text.replace(pattern, () => replacement)
}
