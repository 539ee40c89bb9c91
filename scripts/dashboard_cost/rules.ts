import { waitFor } from '../../test/support/wait.ts'

export interface GroupCost {
  readonly group: string
  readonly seconds: number
  readonly intervalSeconds: number
}

interface Rules {
  readonly data: {
    readonly groups: readonly {
      readonly name: string
      readonly interval: number
      readonly evaluationTime: number
      readonly rules: readonly { readonly health: string; readonly lastError?: string }[]
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
  return groups.map(({ name, interval, evaluationTime }) => ({
    group: name,
    seconds: evaluationTime,
    intervalSeconds: interval,
  }))
}
