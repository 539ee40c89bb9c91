import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { PROVENANCE, type Reference } from '../../../scripts/release/index.ts'
import { output } from '../../../scripts/release/programs.ts'
import { buildImage } from '../docker/engine.ts'
import { prepareInputs } from '../docker/inputs.ts'

const OCI = 'application/vnd.oci.image'
const MANIFEST = `${OCI}.manifest.v1+json`
const INDEX = `${OCI}.index.v1+json`
const IN_TOTO = 'application/vnd.in-toto+json'

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/**
 * Builds the image with buildah on stand-ins for its base images, and pushes it for two platforms as BuildKit does: an
 * index by digest, with a manifest of attestations for each platform. Both have the Node.js of this machine.
 * @param registry host and port of a registry without TLS
 * @param folder an empty folder
 */
export async function pushStandIn(registry: string, folder: string): Promise<Reference> {
  const image = await buildImage(await prepareInputs(folder))
  if (typeof image === 'string') throw new Error(`the image cannot be built here: ${image}`)
  const archive = join(folder, 'layer.tar')
  output('tar', ['--create', `--file=${archive}`, `--directory=${image.root}`, '.'])
  const name = `${registry}/sds-exporter`
  const push = pusherTo(`http://${registry}/v2/sds-exporter`)
  const layer = readFileSync(archive)
  const stored = await push.blob(gzipSync(layer, { level: 1 }), `${OCI}.layer.v1.tar+gzip`)
  const manifests: object[] = []
  for (const architecture of ['amd64', 'arm64']) {
    const rootfs = { type: 'layers', diff_ids: [digestOf(layer)] }
    const config = json({ architecture, os: 'linux', config: image.config, rootfs })
    const own = await push.manifest(config, [stored])
    manifests.push(
      { ...own, platform: { os: 'linux', architecture } },
      await pushProvenance(push, own.digest),
    )
  }
  const index = json({ schemaVersion: 2, mediaType: INDEX, manifests })
  return { name, digest: (await push.document(index, INDEX)).digest }
}

type Pusher = ReturnType<typeof pusherTo>

/** A manifest of attestations in the form of BuildKit. */
async function pushProvenance(push: Pusher, digest: string): Promise<object> {
  const predicate = { buildDefinition: { buildType: 'stand-in' }, runDetails: { builder: { id: '' } } }
  const subject = [{ name: 'sds-exporter', digest: { sha256: digest.slice('sha256:'.length) } }]
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: PROVENANCE,
    subject,
    predicate,
  }
  const layer = await push.blob(json(statement), IN_TOTO)
  const annotated = { ...layer, annotations: { 'in-toto.io/predicate-type': PROVENANCE } }
  return {
    ...(await push.manifest(json({ architecture: 'unknown', os: 'unknown' }), [annotated])),
    platform: { os: 'unknown', architecture: 'unknown' },
    annotations: {
      'vnd.docker.reference.digest': digest,
      'vnd.docker.reference.type': 'attestation-manifest',
    },
  }
}

/** Writes to a repository of a registry, without TLS. @param url with the name of the repository */
function pusherTo(url: string) {
  const send = async (address: string, method: string, body?: Buffer, mediaType?: string) => {
    const response = await fetch(address, {
      method,
      ...(body !== undefined && { body: new Uint8Array(body) }),
      headers: { 'content-type': mediaType ?? 'application/octet-stream' },
    })
    if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`)
    return response
  }
  const describe = (content: Buffer, mediaType: string): Descriptor => ({
    mediaType,
    digest: digestOf(content),
    size: content.length,
  })
  const blob = async (content: Buffer, mediaType: string): Promise<Descriptor> => {
    const { headers } = await send(`${url}/blobs/uploads/`, 'POST')
    const place = new URL(headers.get('location') ?? '', url)
    place.searchParams.set('digest', digestOf(content))
    await send(place.href, 'PUT', content)
    return describe(content, mediaType)
  }
  const document = async (content: Buffer, mediaType: string): Promise<Descriptor> => {
    await send(`${url}/manifests/${digestOf(content)}`, 'PUT', content, mediaType)
    return describe(content, mediaType)
  }
  return {
    blob,
    document,
    /** An image of these layers. @param config its configuration, as JSON */
    async manifest(config: Buffer, layers: readonly object[]): Promise<Descriptor> {
      const stored = await blob(config, `${OCI}.config.v1+json`)
      return await document(json({ schemaVersion: 2, mediaType: MANIFEST, config: stored, layers }), MANIFEST)
    },
  }
}
