import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { licenceFindings, readLockfile } from '../../scripts/generators/licences.ts'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'
import { copyCheckout, linkPackages } from './checkout.ts'

const packages = readLockfile(readText('package-lock.json'))
const shipped = packages.filter(({ isDevelopment }) => !isDevelopment)

describe('install scripts', () => {
  test('other than those that package.json allows stop the installation', () => {
    expect(readText('.npmrc')).toMatch(/^strict-allow-scripts=true$/m)
  })

  test('are in no package that is shipped', () => {
    const { packages: entries } = JSON.parse(readText('package-lock.json')) as {
      packages: Record<string, { hasInstallScript?: boolean }>
    }
    expect(shipped.filter(({ path }) => entries[path]?.hasInstallScript)).toEqual([])
  })
})

test('licences of shipped packages are all allowed', () => {
  expect(shipped.length).toBeGreaterThan(20)
  expect(licenceFindings(packages)).toEqual([])
})

describe('the bill of materials', async () => {
  interface Component {
    readonly group?: string
    readonly name: string
    readonly version: string
    readonly purl: string
    readonly licenses: readonly unknown[]
    readonly components?: readonly Component[]
  }
  const { code, stdout } = await run(process.execPath, ['scripts/supply_chain/sbom.ts'])
  const all = (components: readonly Component[]): readonly Component[] =>
    components.flatMap((one) => [one, ...all(one.components ?? [])])
  const components = code === 0 ? all((JSON.parse(stdout) as { components: Component[] }).components) : []

  test('lists every shipped package and no other', () => {
    expect(code).toBe(0)
    const named = components.map(({ group, name, version }) =>
      [...(group === undefined ? [] : [group]), `${name} ${version}`].join('/'),
    )
    expect(named.sort()).toEqual(shipped.map(({ name, version }) => `${name} ${version}`).sort())
  })

  test('has the purl and the licence of each package', () => {
    for (const { purl, licenses } of components) {
      expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/)
      expect(licenses).toHaveLength(1)
    }
  })
})

describe('a release', () => {
  test('of the next version has no finding, after the commands of CONTRIBUTING.md', async () => {
    using folder = temporaryFolder()
    copyCheckout(folder.path)
    linkPackages(folder.path)
    const options = { cwd: folder.path, env: { GITHUB_REPOSITORY_OWNER: undefined } }
    const node = async (...args: readonly string[]) => run(process.execPath, args, options)
    expect(await node('scripts/release_version.ts', '7.8.9-rc.1')).toMatchObject({ code: 0, stderr: '' })
    expect(await node('scripts/generate.ts')).toMatchObject({ code: 0 })
    expect(await node('scripts/release_check.ts', 'v7.8.9-rc.1')).toMatchObject({ code: 0, stderr: '' })
    const chart = readFileSync(`${folder.path}/deploy/helm/sds-exporter/Chart.yaml`, 'utf8')
    expect(chart).toContain('artifacthub.io/prerelease: "true"')
    const pages = ['README', 'docs/install-release', 'docs/operations'].map((name) =>
      readFileSync(`${folder.path}/${name}.md`, 'utf8'),
    )
    const named = pages.flatMap(
      (text) => text.match(/^\$?version ?=.*|\bversion=\S+(?= node=)|sds-exporter-\d.*?\.(tgz|rpm)/gm) ?? [],
    )
    const files = ['sds-exporter-7.8.9-rc.1.tgz', 'sds-exporter-7.8.9-rc.1-1.x86_64.rpm']
    expect(new Set(named)).toEqual(new Set(['version=7.8.9-rc.1', "$version = '7.8.9-rc.1'", ...files]))
  })

  test('of this version has no finding, once the changes have its number', async () => {
    const { version } = JSON.parse(readText('package.json'))
    const { code, stderr } = await run(process.execPath, ['scripts/release_check.ts', `v${version}`], {
      env: { GITHUB_REPOSITORY_OWNER: undefined },
    })
    const isReleased = readText('CHANGELOG.md').includes(`## [${version}]`)
    expect({ code, stderr }).toEqual(
      isReleased
        ? { code: 0, stderr: '' }
        : { code: 1, stderr: `CHANGELOG.md has no section "[${version}] - DATE"\n` },
    )
  })
})
