import type { PoolRef } from '../../api/feed/pools.ts'
import { configurationCheck } from './account/configuration.ts'
import { loginCheck } from './account/login.ts'
import { roleCheck } from './account/role.ts'
import { type CheckReport, type Running, runChecks } from './check/check.ts'
import { GIVEN_BY, type SystemContext, type SystemFacts } from './check/system_facts.ts'
import { agesCheck } from './data/ages.ts'
import { attributesCheck } from './data/attributes.ts'
import { feedCheck } from './data/feed.ts'
import { forecastsCheck } from './data/forecasts.ts'
import { healthCheck } from './data/health.ts'
import { poolsCheck } from './data/pools.ts'
import { queryCheck } from './data/query.ts'
import { valuesCheck } from './data/values.ts'
import { clockCheck } from './network/clock.ts'
import { connectionCheck } from './network/connection.ts'
import { httpCheck } from './network/http.ts'
import { namesCheck } from './network/names.ts'

/** Checks of a system, in the order in which a poll depends on them. */
const SYSTEM_CHECKS = [
  configurationCheck,
  namesCheck,
  connectionCheck,
  httpCheck,
  clockCheck,
  loginCheck,
  roleCheck,
  poolsCheck,
  feedCheck,
  healthCheck,
  attributesCheck,
  queryCheck,
  agesCheck,
  valuesCheck,
  forecastsCheck,
] as const

export interface Examination {
  readonly reports: readonly CheckReport[]
  /** Undefined if unknown. */
  readonly pools: readonly PoolRef[] | undefined
}

/** Runs all checks of one system and logs out. */
export async function examineSystem(
  context: SystemContext,
  onCheck: Running<SystemFacts>['onCheck'],
): Promise<Examination> {
  const { signal, system } = context
  const { reports, facts } = await runChecks<SystemContext, SystemFacts>(SYSTEM_CHECKS, context, {
    givenBy: GIVEN_BY,
    signal,
    onCheck,
  })
  await facts.client?.close()
  const configured = system.pools?.map((id) => ({ id, name: undefined }))
  return { reports, pools: facts.pools ?? configured }
}
