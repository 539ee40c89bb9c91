import type { SystemClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import type { FeedReading } from '../../../api/feed/feed.ts'
import type { Forecast } from '../../../api/feed/snapshots.ts'
import { pause } from '../../../api/http/waiting.ts'
import { REJECTIONS } from '../../../api/parse/json.ts'
import { configuredPools, type PoolRef } from '../../../api/resources/pool_list.ts'
import type { SystemConfig } from '../../../config/config.ts'
import type { Failure, PoolState, SystemState } from '../../../state/state.ts'
import { counted } from '../../../text.ts'
import { MAX_SINGLE, pollOnce, withQueries } from '../../cli/systems.ts'
import {
  allOf,
  type Finding,
  type FindingRow,
  failed,
  filled,
  firstOf,
  type Outcome,
  type SystemContext,
} from '../check/check.ts'
import { poolsWithNodes, SYNCHRONIZE_NODES } from './findings.ts'

type Configured = SystemConfig['pools']

export async function checkPools(
  { system: { pools }, signal }: SystemContext,
  client: SystemClient,
): Promise<Outcome<readonly PoolRef[]>> {
  try {
    return comparePools(pools, (await client.pools(signal)).pools)
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure
    return { findings: [listFailure(pools, failure)], fact: configuredPools(pools) }
  }
}

function comparePools(configured: Configured, listed: readonly PoolRef[]): Outcome<readonly PoolRef[]> {
  if (configured === undefined) {
    const text = `${listed.length} discovered: ${listed.map(({ id, name }) => name ?? id).join(', ')}`
    const found = firstOf(undefined, [[listed.length === 0, 'warn', ...NONE]], 'ok', text)
    return { findings: [found], fact: filled(listed) }
  }
  // A pool can be configured by its URN or by the UUID in it.
  const find = (id: string) =>
    listed.find((pool) => pool.id === id || pool.id.endsWith(`:${id}`) || id.endsWith(`:${pool.id}`))
  const known = listed.map(({ id, name }) => (name === undefined ? id : `${id} (${name})`)).join(', ')
  const remedy = `correct systems[].pools, or remove it to discover the pools; the system lists ${known || 'none'}`
  const unknown = configured.flatMap((subject): Finding[] =>
    find(subject) === undefined
      ? [{ status: 'fail', subject, text: 'configured, but not listed by the system', remedy }]
      : [],
  )
  const text = `configured: ${configured.length} of ${listed.length} pools`
  return {
    findings: filled(unknown) ?? [{ status: 'ok', text }],
    fact: configured.map((id) => ({ id, name: find(id)?.name })),
  }
}

const NONE = [
  'the system lists no pools',
  'configure the pools in systems[].pools, or check the permissions of the account',
] as const

/** Without a list, the configured pools are used; it is an error only if there are none. */
function listFailure(configured: Configured, failure: ApiError): Finding {
  // The API document has no such list, so a system need not have one.
  const isMissing = failure.reason === 'not_found'
  if (configured !== undefined)
    return isMissing
      ? { status: 'info', text: 'the system has no list of pools: the configured ids are used' }
      : failed(failure, { status: 'warn', text: `the configured ids cannot be compared: ${failure.detail}` })
  const remedy = 'configure the pools in systems[].pools, because the system does not list them'
  return failed(failure, isMissing ? { remedy } : {})
}

/** A poll of a system, and when it ended, on the clock of `performance.now()`. */
interface Poll {
  readonly state: SystemState
  readonly endedMs: number
}

/** One poll by the readers of the exporter, without forecasts, which have a check of their own. */
export async function pollForChecks(
  { system, signal }: SystemContext,
  client: SystemClient,
): Promise<Outcome<Poll>> {
  const polled = withQueries({ ...system, forecast: { ...system.forecast, schedule: '' } })
  const state = await pollOnce(polled, client, signal, { maxSingle: MAX_SINGLE })
  const pools = [...state.pools.values()]
  const isRead = pools.some(({ reading }) => reading !== undefined)
  return {
    findings: [...failureFindings(undefined, state.discoveryFailure), ...pools.flatMap(poolFindings)],
    fact: isRead ? { state, endedMs: performance.now() } : undefined,
  }
}

function failureFindings(subject: string | undefined, failure: Failure | undefined): Finding[] {
  if (failure === undefined) return []
  return [{ status: 'fail', subject, text: failure.message, remedy: failure.remedy }]
}

function poolFindings({ label, lastAttempt, reading }: PoolState): Finding[] {
  if (reading === undefined) return failureFindings(label, lastAttempt?.failure)
  const { nodes, rejected } = reading
  return allOf(label, [
    [nodes.length > 0, 'ok', counted(nodes.length, 'node')],
    [nodes.length === 0, 'warn', 'the response has no nodes', EMPTY],
    [nodes.length > 0 && rejected.length > 0, 'warn', rejections(rejected), REPORT],
  ])
}

const EMPTY = 'check in the management interface whether the pool is empty'
const REPORT = 'report this with the version of the system; no setting changes it'
const MAX_EXAMPLES = 3

function rejections(rejected: FeedReading['rejected']): string {
  const times = rejected.reduce((sum, value) => sum + value.times, 0)
  const examples = rejected.slice(0, MAX_EXAMPLES).map(({ attribute, reason, node, text }) => {
    const where = node === '' ? '' : ` of node ${node}`
    return `${attribute}${where} ${REJECTIONS[reason]}${text === '' ? '' : ` ("${text}")`}`
  })
  const more = rejected.length > MAX_EXAMPLES ? '; …' : ''
  return `${counted(times, 'value')} invalid according to the API document, not exported: ${examples.join('; ')}${more}`
}

/** Reads the nodes again: values of the poll, which the exporter would export, change only with their time. */
export async function checkReading(
  { readingPauseMs, signal }: SystemContext,
  client: SystemClient,
  { state, endedMs }: Poll,
): Promise<readonly Finding[]> {
  await pause(Math.max(0, endedMs + readingPauseMs - performance.now()), signal)
  const findings = poolsWithNodes(state).map(async ({ ref, label, reading }) => {
    try {
      return compareReadings(label, reading, await client.nodes(ref.id, signal))
    } catch (failure) {
      signal.throwIfAborted()
      return [failed(failure, { subject: label })]
    }
  })
  return (await Promise.all(findings)).flat()
}

function compareReadings(subject: string, first: FeedReading, second: FeedReading): Finding[] {
  const before = new Map(first.nodes.map(({ id, values }) => [id, values]))
  const pairs = second.nodes.flatMap(({ id, values }) =>
    [...values].flatMap(([name, now]) => {
      const then = before.get(id)?.get(name)
      return then === undefined ? [] : [{ age: now.t - then.t, isSame: now.value === then.value }]
    }),
  )
  const count = (is: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(is).length
  const backwards = count(({ age }) => age < 0)
  const rewritten = count(({ age, isSame }) => age === 0 && !isSame)
  const newer = count(({ age }) => age > 0)
  const ids = new Set(second.nodes.map(({ id }) => id))
  const lost = first.nodes.filter(({ id }) => !ids.has(id)).length
  const same = `a second response has ${counted(pairs.length - newer, 'same value')}, and ${newer} with a newer time`
  return allOf(subject, [
    [lost > 0, 'warn', `${counted(lost, 'node')} disappeared between two responses`, SEE_NODES],
    [
      backwards > 0,
      'warn',
      `${counted(backwards, 'sample')} went back in time between two responses`,
      SYNCHRONIZE_NODES,
    ],
    [rewritten > 0, 'warn', `${counted(rewritten, 'value')} changed without a new time`, UNRELIABLE],
    [lost + backwards + rewritten === 0, 'ok', same],
  ])
}

const SEE_NODES = 'check with sds-exporter nodes whether nodes disappear repeatedly'
const UNRELIABLE = 'compare with the management interface: the sample times of this system are not reliable'

/** Whether the system serves the forecasts that the exporter requests. */
export async function checkForecasts(
  context: SystemContext,
  client: SystemClient,
  state: SystemState,
): Promise<readonly Finding[]> {
  if (context.system.forecast.schedule === '')
    return [{ status: 'info', text: 'disabled (forecast.schedule is empty)' }]
  const pools = poolsWithNodes(state)
  if (pools.length === 0) return [{ status: 'info', text: 'cannot be checked without nodes' }]
  return Promise.all(pools.map((pool) => forecastFinding(pool, context, client)))
}

async function forecastFinding(
  { label: subject, ref }: PoolState,
  { system: { forecast }, signal }: SystemContext,
  client: SystemClient,
): Promise<Finding> {
  const all: Forecast[] = []
  const lacking: string[] = []
  try {
    for (const timeFrame of forecast.timeFrames) {
      const { nodes } = await client.forecasts(ref.id, { ...forecast, timeFrame }, signal)
      const found = nodes.flatMap((node) => node.forecasts)
      const targets = forecast.targets.filter((target) =>
        found.every(({ targetPercent }) => targetPercent !== String(target)),
      )
      lacking.push(...targets.map((target) => `${target} % by ${timeFrame}`))
      all.push(...found)
    }
  } catch (failure) {
    signal.throwIfAborted()
    return failed(failure, { subject })
  }
  const made = all.filter(({ days }) => days !== undefined).length
  const text = `${made} of ${all.length} forecasts have a value`
  const tryOthers = `try forecast.braces: ${!forecast.braces}, and other forecast.time_frames and forecast.targets, or disable forecasts with forecast.schedule: ""`
  const rows: readonly FindingRow[] = [
    [all.length === 0, 'warn', 'the responses have no forecasts', tryOthers],
    [lacking.length > 0, 'warn', `the responses have no forecasts of ${lacking.join(', ')}`, tryOthers],
    // `N/A` is a valid value.
    [made < all.length, 'info', `${text}, the others are N/A: usage falls, or there is too little history`],
  ]
  return firstOf(subject, rows, 'ok', text)
}
