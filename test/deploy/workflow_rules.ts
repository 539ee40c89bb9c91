import { registerHooks } from 'node:module'
import { parse } from 'yaml'

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}

export interface Job {
  readonly if?: string
  readonly needs?: string | readonly string[]
  readonly uses?: string
  readonly environment?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly 'timeout-minutes'?: number
  readonly steps?: readonly Step[]
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

export function readWorkflow(text: string): Workflow {
  return parse(text) as Workflow
}

export function stepsOf({ jobs }: Workflow): readonly Step[] {
  return Object.values(jobs).flatMap(({ steps = [] }) => steps)
}

/** Errors of GitHub's workflow parser: unknown keys, invalid expressions, missing jobs. */
export async function grammarFindings(name: string, content: string): Promise<string[]> {
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

interface Rule {
  readonly what: string
  readonly holds: (workflow: Workflow, text: string) => boolean
}

const PINNED = /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
const CHECKOUT = /^actions\/checkout@/

/** Rules beyond the syntax: no untrusted code, and least permissions. */
const RULES: readonly Rule[] = [
  {
    what: 'every action is pinned by commit, with its version in a comment',
    holds: (_, text) =>
      text
        .split('\n')
        .filter((line) => /^[ -]*uses: (?!\.\/)/.test(line))
        .every((line) => PINNED.test(line)),
  },
  {
    what: 'no permission is granted by default',
    holds: ({ permissions }) => permissions !== undefined && Object.keys(permissions).length === 0,
  },
  {
    what: 'every job declares permissions',
    holds: ({ jobs }) => Object.values(jobs).every(({ permissions }) => typeof permissions === 'object'),
  },
  {
    what: 'every job has a timeout',
    holds: ({ jobs }) => Object.values(jobs).every((job) => job.uses ?? job['timeout-minutes'] !== undefined),
  },
  {
    what: 'every job that is needed exists',
    holds: ({ jobs }) =>
      Object.values(jobs).every(({ needs = [] }) => [needs].flat().every((name) => name in jobs)),
  },
  {
    what: 'no checkout persists credentials',
    holds: (workflow) =>
      stepsOf(workflow).every(
        ({ uses, with: inputs }) => !CHECKOUT.test(uses ?? '') || inputs?.['persist-credentials'] === false,
      ),
  },
  {
    what: 'no expression is in a script',
    holds: (workflow) => stepsOf(workflow).every(({ run = '' }) => !run.includes('$' + '{{')),
  },
  {
    what: 'no untrusted code runs with permissions of the repository',
    holds: ({ on }) => !('pull_request_target' in on) && !('workflow_run' in on),
  },
]

export function ruleFindings(text: string): string[] {
  const workflow = readWorkflow(text)
  return RULES.filter(({ holds }) => !holds(workflow, text)).map(({ what }) => `broken: ${what}`)
}

/** Actions of other repositories. */
export function usedActions(workflow: Workflow): readonly string[] {
  return stepsOf(workflow).flatMap(({ uses }) => (uses === undefined || uses.startsWith('./') ? [] : [uses]))
}
