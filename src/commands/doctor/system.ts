import { readVersions } from '../../api/query/requests/version.ts'
import { systemRisks } from '../../exporter/risks.ts'
import { type Finding, type FindingRow, filled, firstOf, type Running, runChecks } from './check/check.ts'
import { type SystemContext, systemCheck } from './check/system_facts.ts'
import { attributesCheck } from './system/attributes.ts'
import { connectionCheck } from './system/connection.ts'
import { feedCheck, healthCheck } from './system/feed.ts'
import { forecastsCheck } from './system/forecasts.ts'
import { httpCheck, loginCheck, roleCheck } from './system/login.ts'
import { queryCheck } from './system/query.ts'
import { poolsCheck, resourcesCheck } from './system/resources.ts'
import { namesCheck } from './system/sockets.ts'
import { agesCheck, valuesCheck } from './system/values.ts'

/** Warns about risky settings; the configuration has been validated before. */
const configurationCheck = systemCheck({
  title: 'configuration',
  needs: [],
  run: (context) => {
    const found = systemRisks(context.system, context.configFile).map(
      (risk): Finding => ({ status: 'warn', ...risk }),
    )
    return filled(found) ?? [{ status: 'ok', text: 'no problems found' }]
  },
})

/** Sample ages are corrected by the skew, but lifetimes of tokens and certificates are not. */
const MAX_SKEW_SECONDS = 30

const clockCheck = systemCheck({
  title: 'clock',
  needs: ['skewSeconds'],
  run: (_, { skewSeconds }) => {
    const size = Math.abs(skewSeconds)
    const text = `the clock of the system is ${size} s ${skewSeconds < 0 ? 'behind' : 'ahead of'} that of this machine`
    const rows: readonly FindingRow[] = [[size <= MAX_SKEW_SECONDS, 'ok', `clock skew ${size} s`]]
    return [firstOf(undefined, rows, 'warn', text, SYNCHRONIZE)]
  },
})

const SYNCHRONIZE = 'correct time synchronisation (NTP) of the system or of this machine'

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
  resourcesCheck,
] as const

export type Examination = Awaited<ReturnType<typeof examineSystem>>

/** Runs all checks and logs out. @param readsVersions whether the versions of the nodes are read, too */
export async function examineSystem(
  context: SystemContext,
  onCheck: Running['onCheck'],
  readsVersions = false,
) {
  const { signal, system } = context
  const { reports, facts } = await runChecks(SYSTEM_CHECKS, context, { signal, onCheck })
  const { client } = facts
  const configured = system.pools?.map((id) => ({ id, name: undefined }))
  // An interruption, or the time limit, must not lose the findings.
  const unlessAborted = (failure: unknown) => {
    if (!signal.aborted) throw failure
    return undefined
  }
  const hasVersions = readsVersions && client !== undefined && !signal.aborted
  try {
    const versions = hasVersions ? await readVersions(client.read, signal).catch(unlessAborted) : undefined
    // Pools that are neither listed nor configured are unknown.
    return { system, reports, versions, pools: facts.pools ?? configured }
  } finally {
    await client?.close()
  }
}
