import { existsSync, globSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readText } from '../repository/repository.ts'
import { run } from '../support/processes.ts'
import { grammarFindings, readWorkflow, ruleFindings, stepsOf, usedActions } from './workflow_rules.ts'

const files = globSync('.github/workflows/*.yml').sort()
const texts = files.map((file) => [file, readText(file)] as const)
const ci = readText('.github/workflows/ci.yml')
const release = readWorkflow(readText('.github/workflows/release.yml'))

test('there is one for every change and one for releases', () => {
  expect(files).toEqual(['.github/workflows/ci.yml', '.github/workflows/release.yml'])
})

describe.each(texts)('%s', (file, text) => {
  const scripts = stepsOf(readWorkflow(text)).flatMap(({ run: script }) =>
    script === undefined ? [] : [script],
  )

  test('is a workflow by the words of the parser', async () => {
    expect(await grammarFindings(file, text)).toEqual([])
  })

  test('keeps our rules', () => {
    expect(ruleFindings(text)).toEqual([])
  })

  test('has scripts that bash can read', async () => {
    for (const script of scripts) {
      expect(await run('bash', ['-n'], { input: script })).toMatchObject({ code: 0, stderr: '' })
    }
  })

  test('names only files that exist', () => {
    const named = scripts.join('\n').match(/\b(deploy|scripts)\/[\w./-]+|\.ci\/run/g) ?? []
    expect(named.length).toBeGreaterThan(1)
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  })
})

test('all use the same version of an action', () => {
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
      (text: string) => text.replaceAll(/@[0-9a-f]{40} # (v5)\S+/g, '@$1'),
      'pinned',
    ],
    ['a commit without its version', (text: string) => text.replace(/ # v5\S+/, ''), 'pinned'],
    [
      'rights by default',
      (text: string) => text.replace('permissions: {}', 'permissions: {contents: write}'),
      'default',
    ],
    [
      'a job without rights of its own',
      (text: string) => text.replace('    permissions:\n      contents: read\n', ''),
      'says its rights',
    ],
    ['a job without an end', (text: string) => text.replace('    timeout-minutes: 45\n', ''), 'has an end'],
    [
      'a token left behind',
      (text: string) => text.replace('persist-credentials: false', 'fetch-depth: 0'),
      'token behind',
    ],
    [
      'an expression in a script',
      (text: string) => text.replace('run: .ci/run', 'run: echo $' + '{{ github.head_ref }}'),
      'into a script',
    ],
    [
      'a job that does not exist',
      (text: string) => text.replace('  audit:\n', '  audit:\n    needs: x\n'),
      'waited for',
    ],
    [
      'a dangerous trigger',
      (text: string) => text.replace('  pull_request:', '  pull_request_target:'),
      'stranger',
    ],
  ])('%s', (_, change, finding) => {
    const changed = change(ci)
    expect(changed).not.toBe(ci)
    expect(ruleFindings(changed).join('\n')).toContain(finding)
  })
})

describe('a release', () => {
  const { jobs } = release
  const rights = Object.fromEntries(
    Object.entries(jobs).map(([name, { permissions = {} }]) => [
      name,
      Object.entries(permissions).flatMap(([right, level]) => (level === 'write' ? [right] : [])),
    ]),
  )

  test('begins with a tag, when a maintainer turned it on, after all checks', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } })
    expect(jobs['checks']).toMatchObject({
      if: "vars.RELEASE_ENABLED == 'true'",
      uses: './.github/workflows/ci.yml',
    })
    const first = Object.entries(jobs).filter(([, { needs }]) => needs === undefined)
    expect(first.map(([name]) => name)).toEqual(['checks'])
  })

  test('publishes from a protected environment alone, and each job may write only what it publishes', () => {
    expect(rights).toEqual({
      checks: [],
      package: [],
      npm: ['id-token'],
      image: ['packages', 'id-token'],
      github: ['contents', 'id-token'],
    })
    const writing = Object.entries(jobs).filter(([name]) => rights[name]?.length !== 0)
    for (const [, { environment }] of writing) expect(environment).toBe('release')
  })

  test('needs no long-lived secret', () => {
    const names = readText('.github/workflows/release.yml').match(/secrets\.\w+/g) ?? []
    expect(new Set(names)).toEqual(new Set(['secrets.GITHUB_TOKEN']))
  })

  test('signs what it publishes', () => {
    const script = (name: string) => jobs[name]?.steps?.map(({ run: line = '' }) => line).join('\n') ?? ''
    expect(script('npm')).toContain('npm publish ./release/sds-exporter-*.tgz --provenance')
    expect(script('image')).toMatch(/cosign sign --yes "\$reference"\n\s*cosign attest .*--type cyclonedx/)
    expect(script('github')).toContain('cosign sign-blob')
  })

  test('gives the image every argument that its Dockerfile takes, and no other', () => {
    const taken = [...readText('deploy/docker/Dockerfile').matchAll(/^ARG (\w+)/gm)].map(([, name]) => name)
    const given = [...readText('.github/workflows/release.yml').matchAll(/--build-arg "(\w+)=/g)]
    const names = given.map(([, name]) => name).filter((name) => name !== 'SOURCE_DATE_EPOCH')
    expect(names.sort()).toEqual(taken.sort())
  })
})
