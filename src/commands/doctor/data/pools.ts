import { ApiError } from '../../../api/errors/errors.ts'
import type { PoolRef } from '../../../api/feed/pools.ts'
import type { CheckOutcome, Finding } from '../check/check.ts'
import { failed } from '../check/remedies.ts'
import { type SystemContext, type SystemFacts, systemCheck } from '../check/system_facts.ts'

/** Compares the pools of the system with the configured pools. */
export const poolsCheck = systemCheck({
  title: 'pools',
  needs: ['client'],
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

function compare(configured: Configured, listed: readonly PoolRef[]): CheckOutcome<SystemFacts> {
  const names = listed.map(({ id, name }) => name ?? id).join(', ')
  if (listed.length === 0 && configured === undefined) return { findings: [NONE] }
  if (configured === undefined) {
    return {
      findings: [{ status: 'ok', text: `${listed.length} discovered: ${names}` }],
      facts: { pools: listed },
    }
  }
  const missing = configured.filter((id) => find(listed, id) === undefined)
  const pools = configured.map((id) => ({ id, name: find(listed, id)?.name }))
  const good: Finding = {
    status: 'ok',
    text: `configured: ${configured.length} of ${listed.length} pools`,
  }
  return {
    findings: missing.length === 0 ? [good] : missing.map((id) => unknownPool(id, listed)),
    facts: { pools },
  }
}

const NONE: Finding = {
  status: 'warn',
  text: 'the system lists no pools',
  remedy: 'configure the pools in systems[].pools, or check the permissions of the account',
}

function unknownPool(id: string, listed: readonly PoolRef[]): Finding {
  const there = listed
    .map((pool) => (pool.name === undefined ? pool.id : `${pool.id} (${pool.name})`))
    .join(', ')
  return {
    status: 'fail',
    subject: id,
    text: 'configured, but not listed by the system',
    remedy: `correct systems[].pools, or remove it to discover the pools; the system lists ${there === '' ? 'none' : there}`,
  }
}

/** A pool can be configured by its URN or by the UUID in it. */
function find(listed: readonly PoolRef[], id: string): PoolRef | undefined {
  return listed.find((pool) => pool.id === id || pool.id.endsWith(`:${id}`) || id.endsWith(`:${pool.id}`))
}

/** Without a list, the configured pools are used; it is an error only if there are none. */
function withoutList(configured: Configured, failure: ApiError): CheckOutcome<SystemFacts> {
  if (configured === undefined) return { findings: [failed(failure)] }
  return {
    findings: [
      {
        ...failed(failure),
        status: 'warn',
        text: `the configured ids cannot be compared: ${failure.detail}`,
      },
    ],
    facts: { pools: configured.map((id) => ({ id, name: undefined })) },
  }
}
