import { ApiError } from '../../../api/errors/errors.ts'
import type { PoolRef } from '../../../api/feed/pools.ts'
import { allOf, type CheckResult, failed, filled, firstOf } from '../check/check.ts'
import { type SystemContext, type SystemFacts, systemCheck } from '../check/system_facts.ts'

export const poolsCheck = systemCheck({
  title: 'pools',
  needs: ['client'],
  gives: ['pools'],
  run: async ({ system, signal }, { client }) => {
    try {
      return compare(system.pools, await client.pools(signal))
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      return withoutList(system.pools, failure)
    }
  },
})

type Configured = SystemContext['system']['pools']

function compare(configured: Configured, listed: readonly PoolRef[]): CheckResult<SystemFacts> {
  if (configured === undefined) {
    const names = listed.map(({ id, name }) => name ?? id).join(', ')
    const found = firstOf(
      undefined,
      [[listed.length === 0, 'warn', ...NONE]],
      'ok',
      `${listed.length} discovered: ${names}`,
    )
    return { findings: [found], facts: { pools: filled(listed) } }
  }
  const known = listed.map(({ id, name }) => (name === undefined ? id : `${id} (${name})`)).join(', ')
  const remedy = `correct systems[].pools, or remove it to discover the pools; the system lists ${known || 'none'}`
  const missing = configured.filter((id) => find(listed, id) === undefined)
  const unknown = missing.flatMap((id) =>
    allOf(id, [[true, 'fail', 'configured, but not listed by the system', remedy]]),
  )
  const text = `configured: ${configured.length} of ${listed.length} pools`
  return {
    findings: filled(unknown) ?? [{ status: 'ok', text }],
    facts: { pools: configured.map((id) => ({ id, name: find(listed, id)?.name })) },
  }
}

const NONE = [
  'the system lists no pools',
  'configure the pools in systems[].pools, or check the permissions of the account',
] as const

/** A pool can be configured by its URN or by the UUID in it. */
function find(listed: readonly PoolRef[], id: string): PoolRef | undefined {
  return listed.find((pool) => pool.id === id || pool.id.endsWith(`:${id}`) || id.endsWith(`:${pool.id}`))
}

/** Without a list, the configured pools are used; it is an error only if there are none. */
function withoutList(configured: Configured, failure: ApiError): CheckResult<SystemFacts> {
  if (configured === undefined) return { findings: [failed(failure)], facts: {} }
  const text = `the configured ids cannot be compared: ${failure.detail}`
  return {
    findings: [failed(failure, { status: 'warn', text })],
    facts: { pools: configured.map((id) => ({ id, name: undefined })) },
  }
}
