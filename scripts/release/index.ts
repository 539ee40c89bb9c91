/** An image in a registry. */
export interface Reference {
  /** With the registry, without tag and digest. */
  readonly name: string
  /** `sha256:…` */
  readonly digest: string
}

/** @throws unless the text is `NAME@sha256:…` */
export function parseReference(text: string): Reference {
  const [, name, digest] = /^([^@]+)@(sha256:[0-9a-f]{64})$/.exec(text) ?? []
  if (name === undefined || digest === undefined) throw new Error(`'${text}' is not NAME@sha256:…`)
  return { name, digest }
}

/** One platform of an image. */
export interface PlatformImage {
  /** As in file names: `amd64`, `arm64`. */
  readonly architecture: string
  readonly digest: string
  /** The manifest in which BuildKit has stored its attestations; undefined if it made none. */
  readonly attestations: string | undefined
}

interface Descriptor {
  readonly digest: string
  readonly platform?: { readonly os: string; readonly architecture: string }
  readonly annotations?: Readonly<Record<string, string>>
}

/** The platforms of an image. @throws if the manifest is not an index, or has no platform */
export function platformsOf(manifest: unknown): PlatformImage[] {
  const { manifests = [] } = manifest as { readonly manifests?: readonly Descriptor[] }
  const attested = new Map(
    manifests.map(({ digest, annotations }) => [annotations?.['vnd.docker.reference.digest'], digest]),
  )
  const platforms = manifests
    .filter(({ platform }) => platform?.os === 'linux')
    .map(({ digest, platform }) => ({
      architecture: platform?.architecture ?? '',
      digest,
      attestations: attested.get(digest),
    }))
  if (platforms.length === 0) throw new Error('the image is not an index with platforms of linux')
  return platforms
}

/** The type of the provenance that is attested. */
export const PROVENANCE = 'https://slsa.dev/provenance/v1'

/** The layer with the provenance, in the manifest of BuildKit's attestations. @throws if there is none */
export function provenanceLayer(manifest: unknown): string {
  const { layers = [] } = manifest as { readonly layers?: readonly Descriptor[] }
  const found = layers.find(({ annotations }) => annotations?.['in-toto.io/predicate-type'] === PROVENANCE)
  if (found !== undefined) return found.digest
  const types = layers.map(({ annotations }) => annotations?.['in-toto.io/predicate-type'])
  throw new Error(`the build has no ${PROVENANCE}; it has ${types.join(', ') || 'no attestation'}`)
}
