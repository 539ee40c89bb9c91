import { existsSync, globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readText } from '../repository/repository.ts'
import { run } from '../support/processes.ts'
import { grammarFindings, readWorkflow, ruleFindings, stepsOf, usedActions } from './workflow_rules.ts'

const files = globSync('.github/workflows/*.yml').sort()
const texts = files.map((file) => [file, readText(file)] as const)
const ci = readText('.github/workflows/ci.yml')
const release = readWorkflow(readText('.github/workflows/release.yml'))

describe.each(texts)('%s', (file, text) => {
  const scripts = stepsOf(readWorkflow(text)).flatMap(({ run: script }) =>
    script === undefined ? [] : [script],
  )

  test('has no finding of the parser of GitHub', async () => {
    expect(await grammarFindings(file, text)).toEqual([])
  })

  test('breaks no rule', () => {
    expect(ruleFindings(text)).toEqual([])
  })

  test('has scripts with valid syntax', async () => {
    for (const script of scripts) {
      expect(await run('bash', ['-n'], { input: script })).toMatchObject({ code: 0, stderr: '' })
    }
  })

  test('names only files that exist', () => {
    const named = scripts.join('\n').match(/\b(deploy|scripts)\/[\w./-]+|\.ci\/run/g) ?? []
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })
})

test('all workflows use the same version of an action', () => {
  const used = new Set(texts.flatMap(([, text]) => usedActions(readWorkflow(text))))
  const names = [...used].map((action) => action.split('@')[0])
  expect(new Set(names).size).toBe(used.size)
})

describe('the checks find', () => {
  test.each([
    [
      'an unknown key',
      (text: string) => text.replace('timeout-minutes', 'timeout-minuets'),
      'timeout-minuets',
    ],
    ['a bad expression', (text: string) => text.replace('github.ref }}', 'github.ref( }}'), "'('"],
  ])('%s', async (_, change, words) => {
    const changed = change(ci)
    expect(changed).not.toBe(ci)
    expect((await grammarFindings('ci.yml', changed)).join('\n')).toContain(words)
  })

  test.each([
    [
      'a tag instead of a commit',
      (text: string) => text.replaceAll(/@[0-9a-f]{40} # (v7)\S+/g, '@$1'),
      'pinned',
    ],
    ['a commit without its version', (text: string) => text.replace(/ # v7\S+/, ''), 'pinned'],
    [
      'default permissions',
      (text: string) => text.replace('permissions: {}', 'permissions: {contents: write}'),
      'by default',
    ],
    [
      'a job without permissions',
      (text: string) => text.replace('    permissions:\n      contents: read\n', ''),
      'declares permissions',
    ],
    [
      'a job without a timeout',
      (text: string) => text.replace('    timeout-minutes: 45\n', ''),
      'has a timeout',
    ],
    [
      'credentials that persist',
      (text: string) => text.replace('persist-credentials: false', 'fetch-depth: 0'),
      'persists credentials',
    ],
    [
      'an expression in a script',
      (text: string) => text.replace('run: .ci/run', 'run: echo $' + '{{ github.head_ref }}'),
      'in a script',
    ],
    [
      'a job that does not exist',
      (text: string) => text.replace('  audit:\n', '  audit:\n    needs: x\n'),
      'is needed',
    ],
    [
      'a dangerous trigger',
      (text: string) => text.replace('  pull_request:', '  pull_request_target:'),
      'untrusted',
    ],
  ])('%s', (_, change, finding) => {
    const changed = change(ci)
    expect(changed).not.toBe(ci)
    expect(ruleFindings(changed).join('\n')).toContain(finding)
  })
})

describe('a release', () => {
  const { jobs } = release
  const writable = Object.fromEntries(
    Object.entries(jobs).map(([name, { permissions = {} }]) => [
      name,
      Object.entries(permissions).flatMap(([scope, level]) => (level === 'write' ? [scope] : [])),
    ]),
  )

  test('starts with a tag, if enabled, after all checks', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } })
    expect(jobs['checks']).toMatchObject({
      if: "vars.RELEASE_ENABLED == 'true'",
      uses: './.github/workflows/ci.yml',
    })
    const first = Object.entries(jobs).filter(([, { needs }]) => needs === undefined)
    expect(first.map(([name]) => name)).toEqual(['checks'])
  })

  test('publishes only from the protected environment, with the least permissions', () => {
    expect(writable).toEqual({
      checks: [],
      package: [],
      image: ['packages', 'id-token'],
      publish: ['contents', 'packages', 'id-token'],
    })
    const writing = Object.entries(jobs).filter(([name]) => writable[name]?.length !== 0)
    for (const [, { environment }] of writing) expect(environment).toBe('release')
  })

  test('uses no long-lived secret', () => {
    const names = readText('.github/workflows/release.yml').match(/secrets\.\w+/g) ?? []
    expect(new Set(names)).toEqual(new Set(['secrets.GITHUB_TOKEN']))
  })

  test('signs what it publishes', () => {
    const script = (name: string) => jobs[name]?.steps?.map(({ run: line = '' }) => line).join('\n') ?? ''
    expect(script('publish')).toContain('npm publish ./release/sds-exporter-*.tgz --provenance')
    expect(script('image')).toMatch(
      /release\.ts bills --image="\$reference"[\s\S]*release\.ts sign --image="\$reference" --bills=/,
    )
    expect(script('publish')).toContain('release.ts chart --chart=')
    expect(script('publish')).toContain('release.ts checksums --folder=release')
  })

  test('does what the dry run does, with the same build', () => {
    const dryRun = readWorkflow(ci)
      .jobs['release_dry_run']?.steps?.map(({ run: line = '' }) => line)
      .join('\n')
    expect(dryRun).toContain('node scripts/release/dry_run.ts --image="$reference"')
    const flags = (text: string) =>
      text.match(/--(?:platform|provenance|file) (?!--)\S+|push-by-digest=true/g)
    expect(flags(dryRun ?? '')).toEqual(flags(readText('.github/workflows/release.yml')))
  })

  test('gives a pre-release other tags than a release', () => {
    const text = readText('.github/workflows/release.yml')
    expect(text).toMatch(/= \*-\* \]\]; then tag=next;/)
    expect(text).toMatch(/= \*-\* \]\]; then kind=--prerelease;/)
  })

  test('publishes package and image in one job, after everything that can fail before', () => {
    const scripts = Object.entries(jobs).map(([name, { steps = [] }]) => ({
      name,
      text: steps.map(({ run: line = '' }) => line).join('\n'),
    }))
    const having = (words: string) =>
      scripts.filter(({ text }) => text.includes(words)).map(({ name }) => name)
    expect(having('npm publish')).toEqual(['publish'])
    expect(having('imagetools create --tag')).toEqual(['publish'])
    expect(having('gh release create')).toEqual(['publish'])
    expect(having('release.ts chart')).toEqual(['publish'])
    expect(having('push-by-digest=true')).toEqual(['image'])
    expect(having('--tag "$image')).toEqual([])
    expect(jobs['publish']?.needs).toEqual(['package', 'image'])
  })

  test('passes exactly the build arguments of the Dockerfile', () => {
    const declared = [...readText('deploy/docker/Dockerfile').matchAll(/^ARG (\w+)/gm)].map(
      ([, name]) => name,
    )
    const passed = [...readText('.github/workflows/release.yml').matchAll(/--build-arg "(\w+)=/g)]
    const names = passed.map(([, name]) => name).filter((name) => name !== 'SOURCE_DATE_EPOCH')
    // A stage that uses an argument declares it again.
    expect(names.sort()).toEqual([...new Set(declared)].sort())
  })
})
