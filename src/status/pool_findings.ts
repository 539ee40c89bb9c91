import type { Conditions } from '../alerting/conditions.ts'
import { counted, durationText, latencyText, namesText, percentText } from '../text.ts'
import { type Finding, type FindingContext, firstExceeded, firstHolding, found, warning } from './finding.ts'
import { healthSeverity, type NodeStatus } from './node_status.ts'
import type { AttributeStatus } from './pool_detail.ts'
import type { PoolMembers as Pool } from './pool_status.ts'

/** Everything that needs attention, in the order of the page. Waiting times of alerts do not apply. */
export function findingsOf(pool: Pool, { conditions, now }: FindingContext): Finding[] {
  const { attributes, history_error: history } = pool
  const findings = [
    nodeFinding(pool, conditions),
    diskFinding(pool, conditions),
    capacityFinding(pool, conditions),
    errorFinding(pool, conditions),
    latencyFinding(pool, conditions, 'read'),
    latencyFinding(pool, conditions, 'write'),
    ...RESOURCES.map((resource) => resourceFinding(pool.nodes, conditions, resource)),
    ageFinding(pool, conditions, now),
    attributeFinding(attributes.filter((one) => one.unreadable > 0)),
    history === null ? undefined : warning(`${NO_HISTORY}: ${history.message}`, history.remedy, NO_HISTORY),
    replaceFinding(pool, conditions),
  ]
  return findings.filter((finding) => finding !== undefined)
}

const NO_HISTORY = 'the history could not be read'

const KNOWN = ['Bad', 'NotAccessible', 'Suspect', 'Maintenance', 'Good']

function nodeFinding({ nodes }: Pool, conditions: Conditions): Finding | undefined {
  const troubled = nodes.filter(({ health }) => {
    const severity = health === null ? 'ok' : healthSeverity(health)
    return severity === 'bad' || severity === 'warning'
  })
  if (troubled.length === 0) return undefined
  const count = (...states: readonly string[]) =>
    troubled.filter(({ health }) => health !== null && states.includes(health)).length
  const unavailable = count('Bad', 'NotAccessible')
  const condition = firstHolding(conditions, [
    ['SdsNodesUnavailable', (limit) => unavailable >= limit || unavailable === nodes.length],
    ['SdsNodeBad', () => count('Bad') > 0],
    ['SdsNodeNotAccessible', () => count('NotAccessible') > 0],
    ['SdsNodesSuspect', () => count('Suspect') > 0],
    ['SdsNodesHealthUnknown', () => count(...KNOWN) < troubled.length],
  ])
  const names = namesText(troubled, ({ name, health }) => `${name} (${health})`)
  return found(condition, `${troubled.length} of ${counted(nodes.length, 'node')} not Good: ${names}`, '')
}

function diskFinding({ nodes, totals }: Pool, conditions: Conditions): Finding | undefined {
  const bad = totals.disks_bad ?? 0
  const ratio = totals.disks === null || totals.disks === 0 ? 0 : bad / totals.disks
  const condition = firstHolding(conditions, [
    ['SdsDiskFailuresMany', (limit) => bad >= limit && ratio > conditions.setting('manyBadDisksRatio')],
    ['SdsDisksBad', (limit) => bad > limit],
  ])
  const short = counted(bad, 'bad disk')
  return found(condition, `${short}: ${diskNames(nodes, 'disks_bad')}`, short)
}

function replaceFinding({ nodes, totals }: Pool, conditions: Conditions): Finding | undefined {
  const ready = totals.disks_ready_to_replace ?? 0
  const condition = firstExceeded(conditions, ready, 'SdsDisksReadyToReplace')
  const short = `${counted(ready, 'disk')} ready to be replaced`
  return found(condition, `${short}: ${diskNames(nodes, 'disks_ready_to_replace')}`, short)
}

function diskNames(nodes: readonly NodeStatus[], member: 'disks_bad' | 'disks_ready_to_replace'): string {
  const having = nodes.filter((node) => (node[member] ?? 0) > 0)
  return namesText(having, (node) => `${node.name} (${node[member]})`)
}

/** The forecast of a pool that is nearly full is irrelevant: the alerts are inhibited. */
function capacityFinding({ totals, figures }: Pool, conditions: Conditions): Finding | undefined {
  const used = totals.disk_space_allocated_ratio ?? 0
  const forecast = figures.forecast_seconds ?? Number.POSITIVE_INFINITY
  const isShort = (level: string) => (limit: number) =>
    forecast < limit && used > conditions.setting(`forecastUsedRatio.${level}`)
  const full = firstExceeded(conditions, used, 'SdsCapacityCritical')
  const short =
    full === undefined
      ? firstHolding(conditions, [
          ['SdsForecastCritical', isShort('critical')],
          ['SdsForecastShort', isShort('warning')],
        ])
      : undefined
  const high = firstExceeded(conditions, used, 'SdsCapacityHigh')
  const usedText = `${percentText(used)} of the disk space is allocated`
  if (short === undefined) return found(full ?? high, usedText)
  const target = conditions.setting('forecastTargetPercent')
  const when = forecast === 0 ? `${target}% are reached` : `${target}% in ${durationText(forecast)}`
  return found(short, `${usedText}; median forecast of the nodes: ${when}`, `forecast: ${when}`)
}

function errorFinding({ figures }: Pool, conditions: Conditions): Finding | undefined {
  const quiet = conditions.setting('quietTransactionsPerSecond')
  const { reads_per_second: reads, writes_per_second: writes } = figures
  if (reads !== null && writes !== null && reads + writes <= quiet) return undefined
  const { failed_transactions_ratio: all, system_failed_transactions_ratio: bySystem } = figures
  const condition =
    firstExceeded(conditions, bySystem, 'SdsSystemErrorsCritical') ??
    firstExceeded(conditions, all, 'SdsTransactionErrorsCritical') ??
    firstExceeded(conditions, bySystem, 'SdsSystemErrors') ??
    firstExceeded(conditions, all, 'SdsTransactionErrors')
  const short = `${percentText(all ?? 0)} of the transactions fail`
  return found(condition, `${short}, ${percentText(bySystem ?? 0)} not by the fault of clients`, short)
}

const LATENCY_ALERTS = { read: 'SdsReadLatencyHigh', write: 'SdsWriteLatencyHigh' } as const

/** The latency of a few transactions is not significant. */
function latencyFinding(
  { figures }: Pool,
  conditions: Conditions,
  operation: keyof typeof LATENCY_ALERTS,
): Finding | undefined {
  const seconds = figures[`${operation}_latency_seconds`] ?? 0
  if ((figures[`${operation}s_per_second`] ?? 0) <= conditions.setting('quietTransactionsPerSecond'))
    return undefined
  return found(
    firstExceeded(conditions, seconds, LATENCY_ALERTS[operation]),
    `${operation}s take ${latencyText(seconds)}`,
  )
}

interface Resource {
  readonly alert: string
  readonly words: string
  readonly ratioOf: (node: NodeStatus) => number | null
}

const RESOURCES: readonly Resource[] = [
  {
    alert: 'SdsNodesNetworkBusy',
    words: 'of their network bandwidth',
    ratioOf: (node) => node.network_utilization_ratio,
  },
  { alert: 'SdsNodesCpuBusy', words: 'of their CPU time', ratioOf: (node) => node.cpu_utilization_ratio },
  { alert: 'SdsNodesMemoryFull', words: 'of their memory', ratioOf: (node) => node.memory_utilization_ratio },
]

function resourceFinding(
  nodes: readonly NodeStatus[],
  conditions: Conditions,
  { alert, words, ratioOf }: Resource,
): Finding | undefined {
  const condition = conditions.condition(alert)
  if (condition === undefined) return undefined
  const busy = nodes.filter((node) => (ratioOf(node) ?? 0) > condition.limit)
  if (busy.length === 0) return undefined
  const short = `${counted(busy.length, 'node')} above ${percentText(condition.limit)} ${words}`
  return found(condition, `${short}: ${namesText(busy, ({ name }) => name)}`, short)
}

/** The age at the last good poll: samples of a pool that is polled every hour are an hour old, and are not frozen. */
function ageFinding(pool: Pool, conditions: Conditions, now: number): Finding | undefined {
  const sincePoll = now - (pool.last_success_timestamp_seconds ?? now)
  const ages = pool.categories.flatMap(({ category, newest_sample_age_seconds: age }) =>
    age === null ? [] : [{ category, age: age - sincePoll }],
  )
  const extreme = (pick: (...values: number[]) => number) =>
    ages.length === 0 ? undefined : pick(...ages.map(({ age }) => age))
  const condition =
    firstExceeded(conditions, extreme(Math.min), 'SdsFeedFrozen') ??
    firstExceeded(conditions, extreme(Math.max), 'SdsCategoryFrozen')
  const old = ages.filter(({ age }) => age > (condition?.limit ?? Number.POSITIVE_INFINITY))
  const texts = old.map(({ category, age }) => `${category} ${durationText(age)}`).join(', ')
  return found(condition, `the newest samples are old: ${texts}`, 'old samples')
}

function attributeFinding(unreadable: readonly AttributeStatus[]): Finding | undefined {
  if (unreadable.length === 0) return undefined
  const text = `unreadable values: ${namesText(unreadable, ({ name }) => name)}`
  const remedy = 'the log has one of the values of each attribute; report them with the version of the system'
  return warning(text, remedy, 'unreadable values')
}
