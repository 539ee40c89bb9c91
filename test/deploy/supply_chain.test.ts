import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { licenceFindings, licencesDocument } from '../../scripts/generators/licences.ts'
import { type LockedPackage, readLockfile } from '../../scripts/generators/lockfile.ts'
import { openPoints, readAudit } from '../../scripts/supply_chain/audit_report.ts'
import { JUDGEMENTS, type Judgement } from '../../scripts/supply_chain/judgements.ts'
import { billOfMaterials } from '../../scripts/supply_chain/sbom.ts'
import { versionFindings } from '../../scripts/supply_chain/versions.ts'
import { readText } from '../repository/repository.ts'
import { temporaryFolder } from '../support/folders.ts'
import { run } from '../support/processes.ts'

const packages = readLockfile(readText('package-lock.json'))
const shipped = packages.filter(({ isDevelopment }) => !isDevelopment)

describe('install scripts', () => {
  test('may run for packages named in package.json alone, and anything else stops the installation', () => {
    const { allowScripts } = JSON.parse(readText('package.json'))
    expect(Object.keys(allowScripts)).toEqual(['node'])
    expect(readText('.npmrc')).toMatch(/^strict-allow-scripts=true$/m)
  })

  test('no package that is shipped has one', () => {
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

  test('of what is shipped are all allowed', () => {
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

  test('are listed with every version that is shipped, once', () => {
    const text = licencesDocument(packages)
    for (const { name, version, licence } of shipped) {
      expect(text.split(`| ${name} | ${version} | ${licence} |`)).toHaveLength(2)
    }
    expect(text).not.toContain('| typescript |')
  })

  test('the script says so', async () => {
    expect(await run(process.execPath, ['scripts/licences.ts'])).toMatchObject({ code: 0, stderr: '' })
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

  test('says in the words of the registry that it did not answer', () => {
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
  ])('leaves open what is to be done: %s', (_, judgements, today, points) => {
    const found = openPoints(readAudit(report), judgements, today)
    expect(found).toHaveLength(points.length)
    for (const [index, point] of points.entries()) expect(found[index]).toContain(point)
  })

  test('knows for every judgement a reason and an end', () => {
    for (const { advisory, reason, until } of JUDGEMENTS) {
      expect(advisory).toMatch(/^GHSA(-[0-9a-z]{4}){3}$/)
      expect(reason.length).toBeGreaterThan(20)
      expect(until).toMatch(/^\d{4}-\d\d-\d\d$/)
    }
  })

  /** A stand-in for npm, because no registry can be counted on. */
  async function audit(answer: string, ...flags: string[]) {
    using folder = temporaryFolder()
    folder.write('answer.json', answer)
    chmodSync(folder.write('npm', `#!/bin/sh\ncat "${folder.path}/answer.json"\n`), 0o755)
    return await run(process.execPath, ['scripts/audit.ts', ...flags], {
      env: { PATH: `${folder.path}:${process.env['PATH']}` },
    })
  }

  test('ends with 1 on a finding that nobody judged', async () => {
    const { code, stderr } = await audit(report)
    expect(code).toBe(1)
    expect(stderr).toContain('GHSA-aaaa-bbbb-cccc (high) in koa <3.1.2: Something is wrong')
  })

  test('ends with 0 where there is nothing', async () => {
    const { code, stdout } = await audit('{"vulnerabilities": {}}')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '0 advisories, 0 open points\n' })
  })

  test('takes silence for a failure unless it is told otherwise', async () => {
    const silence = '{"message": "405 Method Not Allowed"}'
    expect(await audit(silence)).toMatchObject({ code: 1 })
    const allowed = await audit(silence, '--allow-no-answer')
    expect(allowed.code).toBe(0)
    expect(allowed.stderr).toContain('the registry gave no answer: 405')
  })
})

describe('the bill of materials', () => {
  interface Component {
    readonly 'bom-ref': string
    readonly name: string
    readonly version: string
    readonly purl: string
    readonly hashes: readonly { readonly alg: string; readonly content: string }[]
    readonly licenses: readonly unknown[]
  }
  interface Bom {
    readonly components: readonly Component[]
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
  }
  const manifest = JSON.parse(readText('package.json'))
  const text = billOfMaterials(manifest, packages)
  const bom = JSON.parse(text) as Bom

  test('names every package that is shipped, and no other', () => {
    const named = bom.components.map(({ name, version }) => `${name} ${version}`)
    expect(named).toEqual(shipped.map(({ name, version }) => `${name} ${version}`))
    expect(named).not.toContain(expect.stringContaining('typescript'))
  })

  test('tells of each the address, the checksum and the licence', () => {
    for (const { purl, hashes, licenses } of bom.components) {
      expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+/)
      expect(hashes).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }])
      expect(licenses).toHaveLength(1)
    }
  })

  test('reaches everything from the program, by references that exist', () => {
    const edges = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    const seen = new Set<string>()
    const visit = (ref: string): void => {
      if (seen.has(ref)) return
      seen.add(ref)
      expect(edges.has(ref)).toBe(true)
      edges.get(ref)?.forEach(visit)
    }
    visit(`pkg:npm/sds-exporter@${manifest.version}`)
    expect(seen.size).toBe(bom.components.length + 1)
  })

  test('depends on the lockfile alone, and on all of it', () => {
    expect(billOfMaterials(manifest, packages)).toBe(text)
    const fewer = packages.filter(({ path }) => path !== shipped[0]?.path)
    const other = JSON.parse(billOfMaterials(manifest, fewer))
    expect(other.serialNumber).not.toBe(JSON.parse(text).serialNumber)
    expect(other.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    )
  })

  test('is what the script prints', async () => {
    expect(await run(process.execPath, ['scripts/sbom.ts'])).toMatchObject({ code: 0, stdout: text })
  })
})

describe('a release', () => {
  test.each([
    ['v1.2.3', '1.2.3', '1.2.3', 0],
    ['v1.2.3-rc.1', '1.2.3-rc.1', '1.2.3-rc.1', 1],
    ['v1.2.4', '1.2.3', '1.2.3', 2],
    ['v1.2.3', '1.2.3', '1.2.2', 1],
    ['1.2.3', '1.2.3', '1.2.3', 1],
    ['', '1.2.3', '1.2.3', 1],
  ])('under the tag %s of version %s with image %s: findings %i', (tag, version, image, count) => {
    const findings = versionFindings(tag, JSON.stringify({ version }), {
      a: `images:\n  - newTag: ${image}\n`,
    })
    expect(findings).toHaveLength(count)
  })

  test('of this version is possible', async () => {
    const { version } = JSON.parse(readText('package.json'))
    expect(await run(process.execPath, ['scripts/release_check.ts', `v${version}`])).toMatchObject({
      code: 0,
    })
  })
})
