import type { PoolRef } from '../../api/pools.ts'
import { agesCheck } from './ages.ts'
import { attributesCheck } from './attributes.ts'
import { type CheckReport, type Running, runChecks } from './check.ts'
import { clockCheck } from './clock.ts'
import { configurationCheck } from './configuration.ts'
import { connectionCheck } from './connection.ts'
import { feedCheck } from './feed.ts'
import { forecastsCheck } from './forecasts.ts'
import { healthCheck } from './health.ts'
import { httpCheck } from './http.ts'
import { loginCheck } from './login.ts'
import { namesCheck } from './names.ts'
import { poolsCheck } from './pools.ts'
import { roleCheck } from './role.ts'
import { GIVEN_BY, type SystemContext, type SystemFacts } from './system_facts.ts'
import { valuesCheck } from './values.ts'

/** What is looked at of a system, in the order in which a poll would meet it. */
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
  agesCheck,
  valuesCheck,
  forecastsCheck,
] as const

export interface Examination {
  readonly reports: readonly CheckReport[]
  /** Undefined where they are not known. */
  readonly pools: readonly PoolRef[] | undefined
}

/** Looks at one system, and logs out. */
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
