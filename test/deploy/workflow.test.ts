import { existsSync, globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readText } from '../repository/repository.ts'

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps?: readonly { readonly run?: string }[] }>>
}

/** Errors of GitHub's workflow parser: unknown keys, invalid expressions, missing jobs. */
async function grammarFindings(name: string, content: string): Promise<string[]> {
  // The parser imports JSON files without `with { type: 'json' }`, which bundlers accept but Node.js rejects.
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
  })
  try {
    const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser')
    const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
    return context.errors.getErrors().map(({ message }) => message)
  } finally {
    hooks.deregister()
  }
}

/** CI runs actionlint and zizmor, which check scripts, permissions and pinned actions. */
test.each(globSync('.github/workflows/*.yml').sort())(
  '%s has no finding of the parser of GitHub, and names only files that exist',
  async (file) => {
    const text = readText(file)
    expect(await grammarFindings(file, text)).toEqual([])
    const { jobs } = parse(text) as Workflow
    const scripts = Object.values(jobs).flatMap(({ steps = [] }) => steps.map(({ run = '' }) => run))
    const named = scripts.join('\n').match(/\b(deploy|scripts)\/[\w./-]+|\.ci\/run/g) ?? []
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((path) => !existsSync(path))).toEqual([])
  },
)

test('a release passes exactly the build arguments of the Dockerfile', () => {
  const declared = [...readText('deploy/docker/Dockerfile').matchAll(/^ARG (\w+)/gm)].map(([, name]) => name)
  const passed = [...readText('.github/workflows/release.yml').matchAll(/--build-arg "(\w+)=/g)]
  const names = passed.map(([, name]) => name).filter((name) => name !== 'SOURCE_DATE_EPOCH')
  // A stage that uses an argument declares it again.
  expect(names.sort()).toEqual([...new Set(declared)].sort())
})
