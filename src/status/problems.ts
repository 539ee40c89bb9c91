import { REASONS, type Reason } from '../api/errors/reasons.ts'
import { EMPTY_REMEDY } from '../api/query/answers/refusals.ts'
import type { SystemState } from '../state/state.ts'
import { durationText } from '../text.ts'
import {
  type ErrorStatus,
  type Finding,
  type FindingContext,
  failed,
  firstHolding,
  found,
  warning,
  withoutConsequences,
} from './finding.ts'
import type { PoolStatus } from './pool_status.ts'
import { reportedFindings } from './reported_findings.ts'
import { type Problem, SEVERITIES } from './states.ts'
import type { SystemStatus } from './system_status.ts'

interface ProblemSources extends FindingContext {
  readonly system: SystemStatus
  readonly state: SystemState
  /** What needs attention of each pool. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>
}

export function systemProblems({ system, state, findings, ...context }: ProblemSources): Problem[] {
  const { discovery_error: discovery } = system
  const common = commonFailure(system.pools)
  const ofSystem = [
    discovery === null ? undefined : failed(discovery, failureAlert(discovery.reason, system)),
    common && failed(common, failureAlert(common.reason, system), `all ${system.pools.length} pools: `),
    queryFinding(system),
    ...resourceFindings(system),
    certificateFinding(system, context),
    clockFinding(system, context),
    endpointFinding(system),
  ]
  const place = { system: system.name, pool: null, pool_id: null }
  const here = (finding: Finding) => problemOf(place, finding)
  const problems = [
    ...ofSystem.filter((finding) => finding !== undefined).map(here),
    ...system.pools.flatMap((pool) => {
      const ofPool = { system: system.name, pool: pool.name, pool_id: pool.id }
      const failure = common === undefined ? poolFailure(pool, system) : []
      return [...failure, ...(findings.get(pool.id) ?? [])].map((finding) => problemOf(ofPool, finding))
    }),
    ...reportedFindings({ state, ...context }).map(here),
  ]
  return badFirst(withoutConsequences(problems, context.conditions))
}

function problemOf(place: Pick<Problem, 'system' | 'pool' | 'pool_id'>, finding: Finding): Problem {
  const { severity, ...others } = finding
  return { severity, ...place, ...others }
}

export function badFirst(problems: readonly Problem[]): Problem[] {
  return problems.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
}

/** The failure of all pools, if they have the same reason: it is that of the system. */
function commonFailure(pools: readonly PoolStatus[]): ErrorStatus | undefined {
  const error = pools[0]?.last_error ?? undefined
  return pools.length > 1 && hasReason(pools, error?.reason) ? error : undefined
}

function hasReason(pools: readonly PoolStatus[], reason: Reason | undefined): boolean {
  return pools.every(({ last_poll: poll }) => poll?.result === reason)
}

/** The alert about a system whose requests all fail for this reason. */
function failureAlert(reason: Reason, { up, login, pools }: SystemStatus): string {
  const isLogin = login.method === 'password' && login.state === 'refused'
  if (reason === 'auth') return isLogin ? 'SdsLoginRefused' : 'SdsTokenRefused'
  if (reason === 'forbidden') return 'SdsAccessForbidden'
  if (up === false) return 'SdsSystemUnreachable'
  return pools.length === 0 ? 'SdsPoolsUnknown' : 'SdsPoolPollsFailing'
}

function poolFailure({ last_error: error, last_poll: poll }: PoolStatus, system: SystemStatus): Finding[] {
  if (poll === null || poll.result === 'ok' || error === null) return []
  const isCommon = hasReason(system.pools, error.reason)
  return [failed(error, isCommon ? failureAlert(error.reason, system) : 'SdsPoolPollsFailing')]
}

/** A system without a Flux API, such as a Community Edition, has no problem. */
function queryFinding({ flux_api: { error, state } }: SystemStatus): Finding | undefined {
  if (state === 'empty')
    return { ...warning('the Flux API has no current data', EMPTY_REMEDY), alert: 'SdsQueryEmpty' }
  if (error === null || error.reason === 'not_found') return undefined
  return { ...failed(error, 'SdsQueryFailing'), severity: 'warning' }
}

/** Resources that are not available are no problem: not every release has them. */
function resourceFindings({ resources }: SystemStatus): Finding[] {
  return resources.flatMap(({ state, description, error }) => {
    const isFailing = state === 'failing' || state === 'partial'
    if (!isFailing || error === null || REASONS[error.reason].notAvailable === true) return []
    const what = state === 'partial' ? `a part of ${description}` : description
    const finding = failed(error, 'SdsResourceFailing', `${what} could not be read: `)
    return [{ ...finding, severity: 'warning' as const }]
  })
}

function certificateFinding(
  { tls_not_after_timestamp_seconds: end }: SystemStatus,
  { conditions, now }: FindingContext,
): Finding | undefined {
  const left = end === null ? null : end - now
  const condition = firstHolding(conditions, 'certificate', { seconds_left: left })
  const text = durationText(Math.abs(left ?? 0))
  const when = (left ?? 0) < 0 ? `expired ${text} ago` : `expires in ${text}`
  return found(condition, `the TLS certificate of the system ${when}`)
}

function clockFinding(
  { clock_skew_seconds: skew }: SystemStatus,
  { conditions }: FindingContext,
): Finding | undefined {
  const distance = Math.abs(skew ?? 0)
  const words = (skew ?? 0) > 0 ? 'ahead' : 'behind'
  const text = `the clock of the system is ${durationText(distance)} ${words}`
  return found(firstHolding(conditions, 'clock', { skew_seconds: distance }), text)
}

/** A single endpoint that fails is a failed poll. */
function endpointFinding({ endpoints }: SystemStatus): Finding | undefined {
  const paused = endpoints.filter(({ pause_seconds }) => pause_seconds > 0)
  if (endpoints.length < 2 || paused.length === 0) return undefined
  const urls = paused.map(({ url }) => url).join(', ')
  const text = `${paused.length} of ${endpoints.length} endpoints failed, and others are preferred: ${urls}`
  return warning(text, 'check these endpoints and their management service')
}
