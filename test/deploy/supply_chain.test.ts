import { chmodSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { licenceFindings, licencesDocument } from '../../scripts/generators/licences.ts'
import { type LockedPackage, readLockfile } from '../../scripts/generators/lockfile.ts'
import { openPoints, readAudit } from '../../scripts/supply_chain/audit_report.ts'
import { JUDGEMENTS, type Judgement } from '../../scripts/supply_chain/judgements.ts'
import { ownerFindings } from '../../scripts/supply_chain/owners.ts'
import { versionFindings } from '../../scripts/supply_chain/versions.ts'
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

describe('licences', () => {
  const one = (licence: string): LockedPackage => ({
    path: 'node_modules/a',
    name: 'a',
    version: '1.0.0',
    licence,
    integrity: '',
    dependencies: [],
    isDevelopment: false,
  })

  test('of shipped packages are all allowed', () => {
    expect(shipped.length).toBeGreaterThan(20)
    expect(licenceFindings(packages)).toEqual([])
  })

  test.each([
    ['MIT', 0],
    ['(MIT OR GPL-3.0-only)', 0],
    ['(MIT AND ISC)', 0],
    ['(MIT AND GPL-3.0-only)', 1],
    ['GPL-3.0-only', 1],
    ['SEE LICENSE IN x', 1],
    ['', 1],
  ])('%s: findings %i', (licence, count) => {
    expect(licenceFindings([one(licence)])).toHaveLength(count)
    expect(licenceFindings([{ ...one(licence), isDevelopment: true }])).toEqual([])
  })

  test('are listed once for every shipped version', () => {
    const text = licencesDocument(packages)
    for (const { name, version, licence } of shipped) {
      expect(text.split(`| ${name} | ${version} | ${licence} |`)).toHaveLength(2)
    }
    expect(text).not.toContain('| typescript |')
  })

  test('the script finds all of them allowed', async () => {
    expect(await run(process.execPath, ['scripts/supply_chain/licences.ts'])).toMatchObject({
      code: 0,
      stderr: '',
    })
  })
})

describe('the audit', () => {
  const via = {
    name: 'koa',
    url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
    title: 'Something is wrong',
    severity: 'high',
    range: '<3.1.2',
  }
  const report = JSON.stringify({ vulnerabilities: { koa: { via: [via] }, other: { via: ['koa', via] } } })
  const judgement: Judgement = {
    advisory: 'GHSA-aaaa-bbbb-cccc',
    package: 'koa',
    verdict: 'not affected',
    reason: 'the function is not used',
    until: '2030-01-01',
  }

  test('finds each advisory once', () => {
    expect(readAudit(report)).toEqual([
      {
        advisory: 'GHSA-aaaa-bbbb-cccc',
        package: 'koa',
        severity: 'high',
        title: 'Something is wrong',
        range: '<3.1.2',
      },
    ])
    expect(readAudit('{"vulnerabilities": {}}')).toEqual([])
  })

  test('reports the message of a registry that does not answer', () => {
    expect(() => readAudit('{"message": "405 Method Not Allowed"}')).toThrow('405 Method Not Allowed')
  })

  test.each<[string, readonly Judgement[], string, string[]]>([
    ['without a judgement', [], '2029-01-01', ['update the package, or judge it']],
    ['with one', [judgement], '2029-01-01', []],
    ['on its last day', [judgement], '2030-01-01', []],
    ['the day after', [judgement], '2030-01-02', ['its judgement ended on 2030-01-01']],
    [
      'with one about another package',
      [{ ...judgement, package: 'undici' }],
      '2029-01-01',
      ['update the package, or judge it', 'GHSA-aaaa-bbbb-cccc in undici is found no more'],
    ],
  ])('has open points %s', (_, judgements, today, points) => {
    const found = openPoints(readAudit(report), judgements, today)
    expect(found).toHaveLength(points.length)
    for (const [index, point] of points.entries()) expect(found[index]).toContain(point)
  })

  test('has a reason and an end date for every judgement', () => {
    for (const { advisory, reason, until } of JUDGEMENTS) {
      expect(advisory).toMatch(/^GHSA(-[0-9a-z]{4}){3}$/)
      expect(reason.length).toBeGreaterThan(20)
      expect(until).toMatch(/^\d{4}-\d\d-\d\d$/)
    }
  })

  /** Runs the script with a substitute for npm that prints `answer`. */
  async function audit(answer: string, ...flags: string[]) {
    using folder = temporaryFolder()
    folder.write('answer.json', answer)
    chmodSync(folder.write('npm', `#!/bin/sh\ncat "${folder.path}/answer.json"\n`), 0o755)
    return await run(process.execPath, ['scripts/supply_chain/audit.ts', ...flags], {
      env: { PATH: `${folder.path}:${process.env['PATH']}` },
    })
  }

  test('exits with 1 for a finding without a judgement', async () => {
    const { code, stderr } = await audit(report)
    expect(code).toBe(1)
    expect(stderr).toContain('GHSA-aaaa-bbbb-cccc (high) in koa <3.1.2: Something is wrong')
  })

  test('exits with 0 without findings', async () => {
    const { code, stdout } = await audit('{"vulnerabilities": {}}')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '0 advisories, 0 open points\n' })
  })

  test('fails without an answer, unless --allow-no-answer is given', async () => {
    const noAnswer = '{"message": "405 Method Not Allowed"}'
    expect(await audit(noAnswer)).toMatchObject({ code: 1 })
    const allowed = await audit(noAnswer, '--allow-no-answer')
    expect(allowed.code).toBe(0)
    expect(allowed.stderr).toContain('the registry gave no answer: 405')
  })
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

  test('is reproducible', async () => {
    expect(await run(process.execPath, ['scripts/supply_chain/sbom.ts'])).toMatchObject({ code: 0, stdout })
  })
})

describe('a release', () => {
  const OVERLAY = 'deploy/kubernetes/overlays/*/kustomization.yaml'
  const PAGES = 'docs/{install-release,operations}.md'
  /** Files of one version, with changes. */
  const filesOf = (version: string, changes: Readonly<Record<string, string>> = {}) => ({
    'package.json': `{\n  "version": "${version}",\n}`,
    'package-lock.json': `{\n  "version": "${version}",\n}`,
    'deploy/docker/Dockerfile': `ARG VERSION=${version}\n`,
    'deploy/helm/sds-exporter/Chart.yaml': `apiVersion: v2\nversion: ${version}\n`,
    [OVERLAY]: `images:\n  - newTag: ${version}\n`,
    [PAGES]: `version=${version}\nnpm install sds-exporter-${version}.tgz\n`,
    'docs/{commands,status}.md': `sds-exporter ${version}\n`,
    'CHANGELOG.md': `# Changelog\n\n## [Unreleased]\n\n## [${version}] - 2030-01-31\n`,
    ...changes,
  })

  test.each<[string, string, Readonly<Record<string, string>>, number]>([
    ['this version', 'v1.2.3', filesOf('1.2.3'), 0],
    ['a pre-release', 'v1.2.3-rc.1', filesOf('1.2.3-rc.1'), 0],
    ['an empty pre-release', 'v1.2.3-', filesOf('1.2.3-'), 1],
    ['another version', 'v1.2.4', filesOf('1.2.3'), 8],
    ['no v', '1.2.3', filesOf('1.2.3'), 1],
    ['no tag', '', filesOf('1.2.3'), 1],
    ['another image', 'v1.2.3', filesOf('1.2.3', { [OVERLAY]: 'newTag: 1.2.2' }), 1],
    ['another label', 'v1.2.3', filesOf('1.2.3', { 'deploy/docker/Dockerfile': 'ARG VERSION=1.2.2' }), 1],
    ['no section of changes', 'v1.2.3', filesOf('1.2.3', { 'CHANGELOG.md': '## [Unreleased]' }), 1],
    ['a section without a date', 'v1.2.3', filesOf('1.2.3', { 'CHANGELOG.md': '## [1.2.3]' }), 1],
  ])('with %s', (_, tag, files, count) => {
    expect(versionFindings(tag, files, (pattern) => [pattern])).toHaveLength(count)
  })

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
    const pages = ['install-release', 'operations'].map((name) =>
      readFileSync(`${folder.path}/docs/${name}.md`, 'utf8'),
    )
    const named = pages.flatMap((text) => text.match(/^version=\d.*|sds-exporter-\d.*?\.tgz/gm) ?? [])
    expect(new Set(named)).toEqual(new Set(['version=7.8.9-rc.1', 'sds-exporter-7.8.9-rc.1.tgz']))
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

describe('owners of the code', () => {
  const lines = '# @other\n*  @acme/team @Acme-user\n/docs/  @ACME writer@example.net\n'

  test('of another account are found', () => {
    expect(ownerFindings(lines, 'acme')).toEqual([
      '.github/CODEOWNERS names @Acme-user: replace them by users or teams of acme',
    ])
    expect(ownerFindings(lines.replace(' @Acme-user', ''), 'acme')).toEqual([])
  })

  test('are checked before a release, so that the placeholder is replaced', async () => {
    const { code, stderr } = await run(process.execPath, ['scripts/release_check.ts', 'v0.1.0'], {
      env: { GITHUB_REPOSITORY_OWNER: 'an-account-without-code' },
    })
    expect(code).toBe(1)
    expect(stderr).toContain('replace them by users or teams of an-account-without-code')
  })
})
