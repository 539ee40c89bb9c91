/**
 * Prints the bill of materials of an image as CycloneDX, from its file system and from the versions that its Node.js
 * reports.
 *
 *   docker export CONTAINER | tar --extract --directory=DIR
 *   docker run --rm --entrypoint /nodejs/bin/node IMAGE --print 'JSON.stringify(process.versions)' > versions.json
 *   node scripts/image_sbom.ts --root=DIR --versions=versions.json --image=NAME --digest=sha256:… > image.cdx.json
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { billOfMaterials, imageComponents, type NodeVersions } from './supply_chain/image_components.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { root: text, versions: text, image: text, digest: text } })
const { root, versions, image, digest } = values
if (root === undefined || versions === undefined || image === undefined || digest === undefined) {
  process.stderr.write('image_sbom: needs --root, --versions, --image and --digest\n')
  process.exitCode = 2
} else {
  const components = imageComponents(root, JSON.parse(readFileSync(versions, 'utf8')) as NodeVersions)
  process.stdout.write(`${JSON.stringify(billOfMaterials(image, digest, components), null, 2)}\n`)
}
