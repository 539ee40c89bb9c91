/**
 * The steps of a release. The release workflow runs them one after the other, and
 * `npm run release:dry-run` all of them with a registry of its own.
 *
 *   node scripts/release.ts bills --image=NAME@sha256:… --out=DIR
 *   node scripts/release.ts sign --image=NAME@sha256:… --bills=DIR
 *   node scripts/release.ts deployment --image=NAME@sha256:… --repository=URL --out=DIR
 *   node scripts/release.ts archives --repository=URL --out=DIR
 *   node scripts/release.ts chart --chart=FILE --charts=REGISTRY/FOLDER
 *   node scripts/release.ts checksums --folder=DIR
 *
 * bills       writes the bill of materials and the provenance of each platform of a pushed image
 * sign        signs the image, and attaches both to it
 * deployment  writes the archive of deployment files and the chart, with the image by digest
 * archives    writes the archives and packages with Node.js, their bills of materials and their provenance
 * chart       pushes the chart, and signs it
 * checksums   writes SHA256SUMS of the files of a folder, and signs it
 *
 * Needs Go, and for signatures the identity of a workflow.
 */
import { parseArgs } from 'node:util'
import { writeArchives } from './release/archives.ts'
import { writeBills } from './release/bills.ts'
import { writeChecksums } from './release/checksums.ts'
import { pushChart, writeDeployment } from './release/deployment.ts'
import { parseReference } from './release/index.ts'
import { attest, signArtefact, signFile } from './release/signing.ts'

type Option = (name: string) => string

const STEPS: Readonly<Record<string, (option: Option) => void>> = {
  bills: (option) => writeBills(parseReference(option('image')), option('out')),
  sign(option) {
    const image = parseReference(option('image'))
    signArtefact(image, {})
    attest(image, option('bills'), {})
  },
  deployment(option) {
    writeDeployment(option('out'), parseReference(option('image')), option('repository'))
  },
  archives: (option) => writeArchives(option('out'), { repository: option('repository'), nearest: false }),
  chart: (option) => signArtefact(pushChart(option('chart'), option('charts')), {}),
  checksums: (option) => signFile(writeChecksums(option('folder')), {}),
}
const NAMES = ['image', 'out', 'bills', 'repository', 'chart', 'charts', 'folder']

try {
  const options = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }] as const))
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [name = ''] = positionals
  const step = STEPS[name]
  if (step === undefined) throw new Error(`'${name}' is not one of ${Object.keys(STEPS).join(', ')}`)
  step((option) => {
    const value = values[option]
    if (value === undefined || value === '') throw new Error(`${name} needs --${option}`)
    return value
  })
} catch (failure) {
  process.stderr.write(`release: ${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.exitCode = 1
}
