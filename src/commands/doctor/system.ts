import { existsSync } from 'node:fs'
import { configuredPools } from '../../api/resources/pool_list.ts'
import { systemRisks } from '../../exporter/risks.ts'
import {
  allOf,
  createChecks,
  type Finding,
  filled,
  partOf,
  type Running,
  type SystemContext,
} from './check/check.ts'
import { checkConnections, checkNames } from './system/connection.ts'
import { ageFindings, attributeFindings, healthFindings, resourceFindings } from './system/findings.ts'
import { checkHttp, checkLogin, clockFindings, roleFindings } from './system/login.ts'
import { checkForecasts, checkPools, checkReading, pollForChecks } from './system/poll.ts'
import { queryFindings } from './system/query.ts'

export type Examination = Awaited<ReturnType<typeof examineSystem>>

/** Runs all checks of a system and logs out. */
export async function examineSystem(given: SystemContext, onCheck: Running['onCheck']) {
  const context = withoutMissingCa(given)
  const { signal, system } = context
  const { run, reports } = createChecks({ signal, onCheck })
  await run('configuration', [], () => configurationFindings(context))
  const names = await run('names', [], () => checkNames(context))
  const connection = await run('connection', [names], ([urls]) => checkConnections(context, urls))
  const http = await run('http', [connection], ([urls]) => checkHttp(context, urls))
  await run('clock', [partOf(http, 'skewSeconds')], ([skewSeconds]) => clockFindings(skewSeconds))
  const login = await run('login', [partOf(http, 'answering')], ([urls]) => checkLogin(context, urls))
  const client = partOf(login, 'client')
  await run('role', [partOf(login, 'account')], ([account]) => roleFindings(account))
  const pools = await run('pools', [client], ([open]) => checkPools(context, open))
  const poll = await run('feed', [client, pools], ([open]) => pollForChecks(context, open))
  const ofSystem = partOf(poll, 'state')
  await run('health', [ofSystem], ([state]) => healthFindings(state))
  await run('attributes', [ofSystem], ([state]) => attributeFindings(state))
  await run('query', [ofSystem], ([state]) => queryFindings(system, state))
  await run('samples', [ofSystem, partOf(http, 'skewSeconds')], ([state, skewSeconds]) =>
    ageFindings(state, skewSeconds),
  )
  await run('values', [client, poll], ([open, first]) => checkReading(context, open, first))
  await run('forecasts', [client, ofSystem], ([open, state]) => checkForecasts(context, open, state))
  await run('resources', [ofSystem], ([state]) => resourceFindings(state))
  await client.fact?.close()
  return {
    system,
    reports,
    // Pools that are neither listed nor configured are unknown.
    pools: pools.fact ?? configuredPools(system.pools),
  }
}

function withoutMissingCa(context: SystemContext): SystemContext {
  const { system } = context
  const { caFile } = system.tls
  if (caFile === undefined || existsSync(caFile)) return context
  return {
    ...context,
    missingCaFile: caFile,
    system: { ...system, tls: { ...system.tls, caFile: undefined } },
  }
}

/** Warns about risky settings; the configuration has been validated before, apart from `ca_file`. */
function configurationFindings({ system, configFile, missingCaFile }: SystemContext): readonly Finding[] {
  const found = systemRisks(system, configFile).map((risk): Finding => ({ status: 'warn', ...risk }))
  const missing = `tls_config.ca_file: ${missingCaFile} does not exist`
  const problems = [...allOf(undefined, [[missingCaFile !== undefined, 'fail', missing, WRITE_CA]]), ...found]
  return filled(problems) ?? [{ status: 'ok', text: 'no problems found' }]
}

const WRITE_CA = 'correct the path, or write the file: see "connection" below'
