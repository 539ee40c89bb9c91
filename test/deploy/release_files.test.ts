import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeChecksums } from '../../scripts/release/checksums.ts'
import { writeDeploymentFiles } from '../../scripts/release/deployment.ts'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { kustomize } from './kubernetes/kustomize.ts'

const IMAGE = 'registry.example.org/storage/sds-exporter'
const DIGEST = `sha256:${'a'.repeat(64)}`
const REPOSITORY = 'https://github.com/example/sds-exporter'

const written = (folder: string) =>
  writeDeploymentFiles(folder, { image: IMAGE, digest: DIGEST, repository: REPOSITORY })

describe('the deployment files of a release', () => {
  test('deploy the released image, and have no links and no build', () => {
    using folder = temporaryFolder()
    written(folder.path)
    const read = (path: string) => readFileSync(`${folder.path}/${path}`, 'utf8')
    const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => lstatSync(`${folder.path}/${path}`).isSymbolicLink())).toEqual([])
    const chart = 'deploy/helm/sds-exporter'
    expect(parse(read(`${chart}/values.yaml`)).image).toMatchObject({ repository: IMAGE, digest: DIGEST })
    expect(parse(read(`${chart}/Chart.yaml`))).toMatchObject({ home: REPOSITORY, sources: [REPOSITORY] })
    expect(read(`${chart}/files/rules.json`)).toBe(readText('src/alerting/generated/rules.json'))
    const service = parse(read('deploy/compose/compose.yaml')).services['sds-exporter']
    expect(service.image).toBe(`\${SDS_IMAGE:-${IMAGE}@${DIGEST}}`)
    expect(service).not.toHaveProperty('build')
  })

  test.each(['demo', 'production', 'openshift', 'secured', 'probes'])('overlay %s', async (name) => {
    using folder = temporaryFolder()
    written(folder.path)
    const objects = await kustomize(`${folder.path}/deploy/kubernetes/overlays/${name}`)
    const images = JSON.stringify(objects).match(/"image":"[^"]*sds-exporter[^"]*"/g)
    expect(new Set(images)).toEqual(new Set([`"image":"${IMAGE}@${DIGEST}"`]))
  })
})

test('checksums are those of the other files, as sha256sum reads them', async () => {
  using folder = temporaryFolder()
  folder.write('b.tgz', 'b')
  folder.write('a.tgz', 'a')
  folder.write('SHA256SUMS.sigstore.json', '{}')
  expect(readFileSync(writeChecksums(folder.path), 'utf8').match(/\S+$/gm)).toEqual(['a.tgz', 'b.tgz'])
  const checked = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder.path })
  expect(checked).toMatchObject({ code: 0 })
})
