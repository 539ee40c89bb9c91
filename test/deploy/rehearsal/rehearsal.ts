import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { billName, provenanceName, pushedPlatforms, writeBills } from '../../../scripts/release/bills.ts'
import { writeChecksums } from '../../../scripts/release/checksums.ts'
import {
  pushChart,
  renderedChart,
  versionOfPackage,
  writeDeployment,
} from '../../../scripts/release/deployment.ts'
import { PROVENANCE, type Reference } from '../../../scripts/release/index.ts'
import { built, output } from '../../../scripts/release/programs.ts'
import type { Identity } from '../../../scripts/release/signing.ts'
import {
  attest,
  attested,
  makeKey,
  signArtefact,
  signFile,
  verifyArtefact,
  verifyFile,
} from '../../../scripts/release/signing.ts'
import { follow, mustInstall } from './page.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
export const REPOSITORY = 'https://github.com/example/sds-exporter'

/**
 * Signs and publishes an image as a release does, with a key, and checks all of it.
 * @param image pushed to a registry
 * @param charts registry and folder of charts
 * @param archives folder with archives and packages
 * @param folder an empty one
 * @returns what holds, a line each
 * @throws what does not hold
 */
export function* rehearse(
  image: Reference,
  charts: string,
  archives: string,
  folder: string,
): Generator<string> {
  mkdirSync(folder, { recursive: true })
  process.env['COSIGN_PASSWORD'] = ''
  const { signer, identity } = makeKey(folder)
  const bills = join(folder, 'bills')
  writeBills(image, bills)
  yield 'bills of materials and provenance are written from the registry'
  signArtefact(image, signer)
  attest(image, bills, signer)
  yield* verifiedImage(image, bills, identity)
  mustFail('a signature of another key', () =>
    verifyArtefact(image, makeKey(made(join(folder, 'other'))).identity),
  )
  const { archive, chart } = writeDeployment(folder, image, REPOSITORY)
  const pushed = pushChart(chart, charts)
  signArtefact(pushed, signer)
  verifyArtefact(pushed, identity)
  yield 'the chart is signed'
  yield* installs(image, charts)
  const release = releaseFiles(folder, archive, [bills, archives])
  yield* verifiedFiles(release, signer, identity)
  output(built('crane'), ['tag', `${image.name}@${image.digest}`, versionOfPackage()])
  yield* follow(image, release, made(join(folder, 'page')))
}

/** Collects the files that the workflow publishes, without the checksums. @returns their folder */
function releaseFiles(folder: string, archive: string, others: readonly string[]): string {
  const release = join(folder, 'release')
  const node = (...args: readonly string[]) => output(process.execPath, args, { cwd: root })
  node('scripts/package.ts', `--out=${release}`, `--repository=${REPOSITORY}`)
  writeFileSync(join(release, 'sds-exporter-npm.cdx.json'), node('scripts/supply_chain/sbom.ts'))
  cpSync(archive, join(release, basename(archive)))
  for (const other of others) cpSync(other, release, { recursive: true })
  return release
}

/** The image and each of its platforms: signatures, and attestations with the content of the files. */
function* verifiedImage(image: Reference, bills: string, identity: Identity): Generator<string> {
  verifyArtefact(image, identity)
  for (const { architecture, digest } of pushedPlatforms(image)) {
    const own = { name: image.name, digest }
    verifyArtefact(own, identity)
    for (const [type, file] of [
      ['cyclonedx', billName(architecture)],
      [PROVENANCE, provenanceName(architecture)],
    ] as const) {
      const written = JSON.parse(readFileSync(join(bills, file), 'utf8'))
      if (!isDeepStrictEqual(attested(own, type, identity), written))
        throw new Error(`the attestation ${type} of ${architecture} is not ${file}`)
    }
    yield `the image for ${architecture} is signed, with its bill of materials and its provenance`
  }
}

/** The pushed chart installs the image, by the digest that the registry has. */
function* installs(image: Reference, charts: string): Generator<string> {
  const wanted = `${image.name}@${image.digest}`
  mustInstall(renderedChart(charts, versionOfPackage()), wanted)
  yield `the chart of the registry installs ${wanted}`
}

function* verifiedFiles(
  release: string,
  signer: Parameters<typeof signFile>[1],
  identity: Identity,
): Generator<string> {
  const checksums = writeChecksums(release)
  signFile(checksums, signer)
  verifyFile(checksums, identity)
  output('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release })
  const bundle = JSON.parse(readFileSync(`${checksums}.sigstore.json`, 'utf8')) as { mediaType?: string }
  if (!bundle.mediaType?.startsWith('application/vnd.dev.sigstore.bundle'))
    throw new Error('the signature of the checksums is not a Sigstore bundle')
  yield 'the checksums are signed, in a Sigstore bundle'
}

function mustFail(what: string, action: () => void): void {
  try {
    action()
  } catch {
    return
  }
  throw new Error(`${what} was accepted`)
}

function made(folder: string): string {
  mkdirSync(folder)
  return folder
}
