import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { billOfMaterials, imageComponents, type NodeVersions } from '../supply_chain/image_components.ts'
import { type PlatformImage, platformsOf, provenanceLayer, type Reference } from './index.ts'
import { built, output } from './programs.ts'

/** Where the image has Node.js. */
const NODE = 'nodejs/bin/node'
/** The name of this machine's architecture in images. */
const OWN_ARCHITECTURE = process.arch === 'x64' ? 'amd64' : process.arch

/** The names of the files of one platform. */
export const billName = (architecture: string): string => `sds-exporter-image-${architecture}.cdx.json`
export const provenanceName = (architecture: string): string =>
  `sds-exporter-image-${architecture}.provenance.json`

const crane = (...args: readonly string[]): string => output(built('crane'), args)

/** The platforms of a pushed image. */
export function pushedPlatforms({ name, digest }: Reference): PlatformImage[] {
  return platformsOf(JSON.parse(crane('manifest', `${name}@${digest}`)))
}

/** Writes the bill of materials and the provenance of each platform, both from what the registry has. */
export function writeBills({ name, digest }: Reference, out: string): void {
  mkdirSync(out, { recursive: true })
  const platforms = pushedPlatforms({ name, digest })
  const folder = mkdtempSync(join(tmpdir(), 'sds-image-'))
  try {
    for (const { architecture, digest: own } of platforms)
      unpack(`${name}@${own}`, join(folder, architecture))
    const versions = nodeVersions(join(folder, OWN_ARCHITECTURE, NODE))
    for (const platform of platforms) {
      const root = join(folder, platform.architecture)
      mustHaveNode(root, platform.architecture, versions)
      const subject = { type: 'container', name, version: platform.digest } as const
      const bill = billOfMaterials(subject, imageComponents(root, versions))
      write(join(out, billName(platform.architecture)), bill)
      write(join(out, provenanceName(platform.architecture)), provenanceOf(name, platform))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const write = (file: string, content: unknown): void =>
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)

/** Writes the file system of an image into a new folder. */
function unpack(image: string, root: string): void {
  mkdirSync(root)
  const archive = `${root}.tar`
  crane('export', image, archive)
  output('tar', ['--extract', `--file=${archive}`, `--directory=${root}`, '--no-same-owner'])
  rmSync(archive)
}

/** What an executable of Node.js for this machine reports. */
export function nodeVersions(executable: string): NodeVersions {
  const args = ['--print', 'JSON.stringify(process.versions)']
  return JSON.parse(output(executable, args, { env: { NODE_OPTIONS: '' } })) as NodeVersions
}

/** The release of an executable of Node.js for any machine. */
export function nodeReleaseOf(executable: string): string {
  const [, release] = /\/node-v([\d.]+)-headers\.tar\.gz/.exec(readFileSync(executable, 'latin1')) ?? []
  if (release === undefined) throw new Error(`${executable} is not Node.js`)
  return release
}

/** Only the Node.js of this machine's architecture can be run; the others must be of the same release. */
function mustHaveNode(root: string, architecture: string, { node }: NodeVersions): void {
  if (nodeReleaseOf(join(root, NODE)) !== node)
    throw new Error(`the image for ${architecture} does not have Node.js ${node}`)
}

/** What BuildKit recorded of the build, with sources and base images by digest. @throws if it recorded nothing */
function provenanceOf(name: string, { architecture, attestations }: PlatformImage): unknown {
  if (attestations === undefined)
    throw new Error(`the image for ${architecture} was built without attestations`)
  const layer = provenanceLayer(JSON.parse(crane('manifest', `${name}@${attestations}`)))
  return (JSON.parse(crane('blob', `${name}@${layer}`)) as { predicate: unknown }).predicate
}
