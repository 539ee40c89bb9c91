import type { Conditions } from '../alerting/conditions/tuned.ts'
import { EMPTY_REMEDY } from '../api/query/states.ts'
import { durationText } from '../text.ts'
import { firstHolding, ofAlert } from './findings.ts'
import type { ErrorStatus, PoolStatus, Problem, SystemStatus } from './model.ts'
import { poolProblems } from './pool_status.ts'

/** The conditions of a system, or of one of its pools by name, with their settings. */
export type ConditionsOf = (pool?: string) => Conditions

/** The problems of a system and its pools, the worst first. @param now seconds since the epoch */
export function systemProblems(system: SystemStatus, now: number, conditionsOf: ConditionsOf): Problem[] {
  const conditions = conditionsOf()
  const { discovery_error: discovery } = system
  const common = commonFailure(system.pools)
  const problems = [
    ...(discovery === null ? [] : [failed(system, discovery)]),
    ...(common === undefined ? [] : [failed(system, common.error, `all ${common.count} pools: `)]),
    ...queryProblems(system),
    ...resourceProblems(system),
    ...certificateProblems(system, now, conditions),
    ...clockProblems(system, conditions),
    ...endpointProblems(system),
    ...system.pools.flatMap((pool) =>
      poolProblems(pool, system.name, { conditions: conditionsOf(pool.name), now }).filter(
        ({ timestamp_seconds }) => common === undefined || timestamp_seconds === null,
      ),
    ),
  ]
  return badFirst(problems)
}

export function badFirst(problems: readonly Problem[]): Problem[] {
  return [
    ...problems.filter(({ severity }) => severity === 'bad'),
    ...problems.filter(({ severity }) => severity === 'warning'),
    ...problems.filter(({ severity }) => severity === 'notice'),
  ]
}

/** The failure of all pools, if they have the same reason: it is that of the system. */
function commonFailure(pools: readonly PoolStatus[]): { error: ErrorStatus; count: number } | undefined {
  const [first] = pools
  const error = first?.last_error
  if (error === null || error === undefined || pools.length === 1) return undefined
  const isCommon = pools.every(({ last_poll: poll }) => poll?.result === error.reason)
  return isCommon ? { error, count: pools.length } : undefined
}

function failed({ name }: SystemStatus, error: ErrorStatus, prefix = ''): Problem {
  const { message, remedy, timestamp_seconds } = error
  return { ...warning(name, `${prefix}${message}`, remedy), severity: 'bad', timestamp_seconds }
}

function warning(system: string, text: string, remedy: string): Problem {
  const place = { system, pool: null, pool_id: null }
  return { severity: 'warning', ...place, text, remedy, alert: null, timestamp_seconds: null }
}

/** A system without a query interface, such as a Community Edition, has no problem. */
function queryProblems(system: SystemStatus): Problem[] {
  const { error, state } = system.query_interface
  if (state === 'empty')
    return [warning(system.name, 'the query interface has no current data', EMPTY_REMEDY)]
  if (error === null || error.reason === 'not_found') return []
  return [{ ...failed(system, error), severity: 'warning' }]
}

/** Resources that are not available are no problem: not every release has them. */
function resourceProblems(system: SystemStatus): Problem[] {
  const failing = system.resources.filter(({ state }) => state === 'failing')
  return failing.flatMap(({ description, error }) => {
    if (error === null) return []
    return [{ ...failed(system, error, `${description} could not be read: `), severity: 'warning' as const }]
  })
}

function certificateProblems(system: SystemStatus, now: number, conditions: Conditions): Problem[] {
  const left = (system.tls_not_after_timestamp_seconds ?? Number.POSITIVE_INFINITY) - now
  const condition = firstHolding(conditions, [
    ['SdsCertificateCritical', (limit) => left < limit],
    ['SdsCertificateExpiring', (limit) => left < limit],
  ])
  if (condition === undefined) return []
  const when = left < 0 ? `expired ${durationText(-left)} ago` : `expires in ${durationText(left)}`
  const text = `the TLS certificate of the system ${when}`
  return [{ ...warning(system.name, text, ''), ...ofAlert(condition) }]
}

function clockProblems({ name, clock_skew_seconds: skew }: SystemStatus, conditions: Conditions): Problem[] {
  if (skew === null) return []
  const condition = firstHolding(conditions, [['SdsClockSkew', (limit) => Math.abs(skew) > limit]])
  if (condition === undefined) return []
  const text = `the clock of the system is ${durationText(Math.abs(skew))} ${skew > 0 ? 'ahead' : 'behind'}`
  return [{ ...warning(name, text, ''), ...ofAlert(condition) }]
}

/** Of a system with several endpoints; a single one that fails is a failed poll. */
function endpointProblems({ name, endpoints }: SystemStatus): Problem[] {
  const paused = endpoints.filter(({ pause_seconds }) => pause_seconds > 0)
  if (endpoints.length < 2 || paused.length === 0) return []
  const urls = paused.map(({ url }) => url).join(', ')
  const text = `${paused.length} of ${endpoints.length} endpoints failed, and others are preferred: ${urls}`
  return [warning(name, text, 'check these endpoints and their management service')]
}
