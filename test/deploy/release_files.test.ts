import { lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { writeChecksums } from '../../scripts/release/checksums.ts'
import { writeDeploymentFiles } from '../../scripts/release/deployment.ts'
import { PROVENANCE, platformsOf, provenanceLayer } from '../../scripts/release/index.ts'
import { imageComponents } from '../../scripts/supply_chain/image_components.ts'
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

describe('a step of a release', () => {
  test.each([
    ['needs its options', ['bills', `--image=${IMAGE}@${DIGEST}`], 'bills needs --out'],
    ['needs a digest', ['bills', `--image=${IMAGE}:1.2.3`, '--out=x'], 'is not NAME@sha256:…'],
    ['is one of the table', ['publish'], "'publish' is not one of bills, sign"],
  ])('%s', async (_, args, words) => {
    const { code, stderr } = await run(process.execPath, ['scripts/release.ts', ...args])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(words) })
  })
})

describe('the index of an image', () => {
  const digest = (letter: string) => `sha256:${letter.repeat(64)}`
  const platform = (architecture: string, letter: string) => ({
    digest: digest(letter),
    platform: { os: 'linux', architecture },
  })
  const attestations = {
    digest: digest('c'),
    platform: { os: 'unknown', architecture: 'unknown' },
    annotations: { 'vnd.docker.reference.digest': digest('a') },
  }

  test('has platforms, some with attestations', () => {
    const manifests = [platform('amd64', 'a'), platform('arm64', 'b'), attestations]
    expect(platformsOf({ manifests })).toEqual([
      { architecture: 'amd64', digest: digest('a'), attestations: digest('c') },
      { architecture: 'arm64', digest: digest('b'), attestations: undefined },
    ])
    expect(() => platformsOf({ layers: [] })).toThrow('not an index')
  })

  test('has provenance of the type that is attested', () => {
    const layer = (type: string, letter: string) => ({
      digest: digest(letter),
      annotations: { 'in-toto.io/predicate-type': type },
    })
    const spdx = layer('https://spdx.dev/Document', 'd')
    expect(provenanceLayer({ layers: [spdx, layer(PROVENANCE, 'e')] })).toBe(digest('e'))
    expect(() => provenanceLayer({ layers: [spdx] })).toThrow('it has https://spdx.dev/Document')
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

describe('the bill of materials of an image', () => {
  test('has the packages of npm and Debian in its file system, and the parts of Node.js', () => {
    using folder = temporaryFolder()
    const write = (path: string, content: unknown) => {
      mkdirSync(dirname(`${folder.path}/${path}`), { recursive: true })
      folder.write(path, typeof content === 'string' ? content : JSON.stringify(content))
    }
    write('app/node_modules/a/package.json', { name: 'a', version: '1.0.0', license: 'MIT' })
    write('app/node_modules/@s/b/package.json', { name: '@s/b', version: '2.0.0' })
    write('app/node_modules/a/node_modules/c/package.json', { name: 'c', version: '3.0.0' })
    write('app/node_modules/a/esm/package.json', { type: 'module' })
    write('app/node_modules/a/example/package.json', { name: 'example', version: '0.0.0' })
    write('var/lib/dpkg/status.d/libc6', 'Package: libc6\nVersion: 2.41-12\nArchitecture: amd64\n')
    write('var/lib/dpkg/status.d/libc6.md5sums', '')
    const components = imageComponents(folder.path, { node: '24.0.0', openssl: '3.5.1', modules: '137' })
    expect(components.map(({ purl }) => purl)).toEqual([
      'pkg:generic/node@24.0.0',
      'pkg:deb/debian/libc6@2.41-12?arch=amd64',
      'pkg:generic/openssl@3.5.1',
      'pkg:npm/%40s/b@2.0.0',
      'pkg:npm/a@1.0.0',
      'pkg:npm/c@3.0.0',
    ])
    expect(components[4]).toMatchObject({ licenses: [{ expression: 'MIT' }] })
  })
})
