import { existsSync } from 'node:fs'
import { configuredPools } from '../../api/resources/pool_list.ts'
import { systemRisks } from '../../exporter/risks.ts'
import { allOf, createChecks, type Finding, filled, type Running, type SystemContext } from './check/check.ts'
import { checkConnections, checkNames } from './system/connection.ts'
import {
  ageFindings,
  attributeFindings,
  healthFindings,
  queryFindings,
  resourceFindings,
} from './system/findings.ts'
import { checkHttp, checkLogin, clockFindings, roleFindings } from './system/login.ts'
import { checkForecasts, checkPools, checkReading, pollForChecks } from './system/poll.ts'

export type Examination = Awaited<ReturnType<typeof examineSystem>>

/** Runs all checks of a system and logs out. */
export async function examineSystem(given: SystemContext, onCheck: Running['onCheck']) {
  const context = withoutMissingCa(given)
  const { signal, system } = context
  const { run, reports } = createChecks({ signal, onCheck })
  await run('configuration', {}, () => configurationFindings(context))
  const names = await run('names', {}, () => checkNames(context))
  const connection = await run('connection', { names }, (known) => checkConnections(context, known.names))
  const http = await run('http', { connection }, (known) => checkHttp(context, known.connection))
  const skew = { http: http?.skewSeconds }
  await run('clock', skew, (known) => clockFindings(known.http))
  const login = await run('login', { http: http?.answering }, (known) => checkLogin(context, known.http))
  await run('role', { login }, (known) => roleFindings(known.login.account))
  const pools = await run('pools', { login }, (known) => checkPools(context, known.login.client))
  const feed = await run('feed', { login, pools }, (known) => pollForChecks(context, known.login.client))
  await run('health', { feed }, (known) => healthFindings(known.feed.state))
  await run('attributes', { feed }, (known) => attributeFindings(known.feed.state))
  await run('query', { feed }, (known) => queryFindings(system, known.feed.state))
  await run('samples', { feed, ...skew }, (known) => ageFindings(known.feed.state, known.http))
  await run('values', { login, feed }, (known) => checkReading(context, known.login.client, known.feed))
  await run('forecasts', { login, feed }, (known) =>
    checkForecasts(context, known.login.client, known.feed.state),
  )
  await run('resources', { feed }, (known) => resourceFindings(known.feed.state))
  await login?.client.close()
  return {
    system,
    reports,
    // Pools that are neither listed nor configured are unknown.
    pools: pools ?? configuredPools(system.pools),
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
