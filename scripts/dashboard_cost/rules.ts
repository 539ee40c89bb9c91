import { waitFor } from '../../test/support/wait.ts'
import { measure } from './queries.ts'

export interface GroupCost {
  readonly group: string
  readonly seconds: number
  readonly intervalSeconds: number
  /** Of the expressions of the group, run one after the other. */
  readonly cpuSeconds: number
}

interface Rules {
  readonly data: {
    readonly groups: readonly {
      readonly name: string
      readonly interval: number
      readonly evaluationTime: number
      readonly rules: readonly { readonly query: string; readonly lastError?: string }[]
    }[]
  }
}

const TIMEOUT_MS = 600_000

/** Loads the rules, whose files are in place now, and waits until each group was evaluated. */
export async function ruleCosts(url: string): Promise<GroupCost[]> {
  const reloaded = await fetch(`${url}/-/reload`, { method: 'POST' })
  if (!reloaded.ok) throw new Error(`reload of Prometheus: ${await reloaded.text()}`)
  const groups = await waitFor(
    async () => {
      const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as Rules
      const evaluated =
        data.groups.length > 0 && data.groups.every(({ evaluationTime }) => evaluationTime > 0)
      return evaluated ? data.groups : undefined
    },
    { what: 'the evaluation of all rule groups', timeout: TIMEOUT_MS, interval: 2000 },
  )
  const failed = groups
    .flatMap(({ rules }) => rules.flatMap(({ lastError }) => lastError ?? []))
    // The first evaluation after the reload may be at the time of one before.
    .filter((error) => error !== '' && !error.includes('out of order sample'))
  if (failed.length > 0) throw new Error(`rules fail: ${failed.join('; ')}`)
  const costs: GroupCost[] = []
  for (const { name, interval, evaluationTime, rules } of groups) {
    const queries = rules.map(({ query }) => query)
    costs.push({
      group: name,
      seconds: evaluationTime,
      intervalSeconds: interval,
      cpuSeconds: await cpuOf(url, queries),
    })
  }
  return costs
}

async function cpuOf(url: string, queries: readonly string[]): Promise<number> {
  const now = Date.now() / 1000
  let total = 0
  for (const query of queries) {
    const { cpuSeconds } = await measure(url, query, { from: now, to: now, step: 1 }, true)
    total += cpuSeconds
  }
  return total
}
