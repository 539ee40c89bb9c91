import type { Conditions } from '../alerting/conditions.ts'
import { counted, durationText, forecastText, latencyText, namesText, percentText } from '../text.ts'
import { largest, smallest } from '../values/largest.ts'
import {
  type Finding,
  type FindingContext,
  firstHolding,
  found,
  limitOf,
  partFindings,
  warning,
  withoutConsequences,
} from './finding.ts'
import { healthSeverity, type NodeStatus } from './node_status.ts'
import type { AttributeStatus, PoolMembers as Pool } from './pool_status.ts'

/** Everything that needs attention, in the order of the page. Waiting times of alerts do not apply. */
export function findingsOf(pool: Pool, { conditions, now }: FindingContext): Finding[] {
  const { attributes, history_error: history } = pool
  const findings = [
    nodeFinding(pool, conditions),
    diskFinding(pool, conditions),
    capacityFinding(pool, conditions),
    forecastFinding(pool, conditions),
    errorFinding(pool, conditions),
    latencyFinding(pool, conditions, 'read'),
    latencyFinding(pool, conditions, 'write'),
    ...utilizationFindings(pool.nodes, conditions),
    ageFinding(pool, conditions, now),
    attributeFinding(attributes.filter((one) => one.unreadable > 0)),
    history === null ? undefined : warning(`${NO_HISTORY}: ${history.message}`, history.remedy, NO_HISTORY),
    replaceFinding(pool, conditions),
  ]
  return withoutConsequences(
    findings.filter((finding) => finding !== undefined),
    conditions,
  )
}

const NO_HISTORY = 'the history could not be read'

/** Names of nodes in a summary. */
const MOST_NAMES = 2

const KNOWN = ['Bad', 'NotAccessible', 'Suspect', 'Maintenance', 'Good']

function nodeFinding({ nodes }: Pool, conditions: Conditions): Finding | undefined {
  const unhealthy = nodes.filter(({ health }) => {
    const severity = health === null ? 'ok' : healthSeverity(health)
    return severity === 'critical' || severity === 'warning'
  })
  if (unhealthy.length === 0) return undefined
  const count = (...states: readonly string[]) =>
    unhealthy.filter(({ health }) => health !== null && states.includes(health)).length
  const unavailable = count('Bad', 'NotAccessible')
  const values = {
    // All nodes are above each limit.
    unavailable: unavailable === nodes.length ? Number.POSITIVE_INFINITY : unavailable,
    bad: count('Bad'),
    not_accessible: count('NotAccessible'),
    suspect: count('Suspect'),
    unknown: unhealthy.length - count(...KNOWN),
  }
  const names = namesText(unhealthy, ({ name, health }) => `${name} (${health})`)
  const text = `${unhealthy.length} of ${counted(nodes.length, 'node')} not Good: ${names}`
  const short = namesText(unhealthy, ({ name, health }) => `${name} ${health}`, MOST_NAMES)
  return found(conditions, 'nodes', values, text, short)
}

function diskFinding({ nodes, totals }: Pool, conditions: Conditions): Finding | undefined {
  const bad = totals.disks_bad ?? 0
  const short = counted(bad, 'bad disk')
  const values = { bad, bad_ratio: bad / (totals.disks || Infinity) }
  return found(conditions, 'disks', values, `${short}: ${diskNames(nodes, 'disks_bad')}`, short)
}

function replaceFinding({ nodes, totals }: Pool, conditions: Conditions): Finding | undefined {
  const disks = totals.disks_ready_to_replace
  const short = `${counted(disks ?? 0, 'disk')} ready to be replaced`
  const text = `${short}: ${diskNames(nodes, 'disks_ready_to_replace')}`
  return found(conditions, 'disks_to_replace', { disks }, text, short)
}

function diskNames(nodes: readonly NodeStatus[], member: 'disks_bad' | 'disks_ready_to_replace'): string {
  const having = nodes.filter((node) => (node[member] ?? 0) > 0)
  return namesText(having, (node) => `${node.name} (${node[member]})`)
}

function capacityFinding({ totals }: Pool, conditions: Conditions): Finding | undefined {
  const used_ratio = totals.disk_space_allocated_ratio
  const text = `${percentText(used_ratio ?? 0)} of the disk space is allocated`
  return found(conditions, 'capacity', { used_ratio }, text)
}

function forecastFinding({ totals, figures }: Pool, conditions: Conditions): Finding | undefined {
  const [seconds, used_ratio] = [figures.forecast_seconds, totals.disk_space_allocated_ratio]
  const short = forecastText(seconds ?? 0, conditions.forecastTarget)
  const text = `${short}, by the median forecast of its nodes`
  return found(conditions, 'forecast', { seconds, used_ratio }, text, short)
}

function errorFinding({ figures }: Pool, conditions: Conditions): Finding | undefined {
  const { reads_per_second: reads, writes_per_second: writes } = figures
  const { failed_transactions_ratio: all, system_failed_transactions_ratio: bySystem } = figures
  const values = {
    failed_ratio: all,
    system_failed_ratio: bySystem,
    // An unknown number of transactions is not a small one.
    transactions_per_second: reads === null || writes === null ? Number.POSITIVE_INFINITY : reads + writes,
  }
  const short = `${percentText(all ?? 0)} of the transactions fail`
  const text = `${short}, ${percentText(bySystem ?? 0)} with server errors`
  return found(conditions, 'errors', values, text, short)
}

function latencyFinding(
  { figures }: Pool,
  conditions: Conditions,
  operation: 'read' | 'write',
): Finding | undefined {
  const seconds = figures[`${operation}_latency_seconds`]
  const values = { seconds, per_second: figures[`${operation}s_per_second`] }
  return found(conditions, `${operation}_latency`, values, `${operation}s take ${latencyText(seconds ?? 0)}`)
}

const UTILIZATIONS = [
  ['network', 'network_utilization_ratio', 'of their network bandwidth'],
  ['cpu', 'cpu_utilization_ratio', 'of their CPU time'],
  ['memory', 'memory_utilization_ratio', 'of their memory'],
] as const

function utilizationFindings(nodes: readonly NodeStatus[], conditions: Conditions): Finding[] {
  return UTILIZATIONS.flatMap(([finding, member, words]) => {
    const parts = nodes.map((node) => ({ name: node.name, value: node[member] }))
    const above = (limit: string) => `above ${limit} ${words}`
    return partFindings(conditions, finding, parts, { noun: 'node', above, textOf: percentText })
  })
}

/** The age at the last good poll: samples of a pool that is polled every hour are an hour old, and are not frozen. */
function ageFinding(pool: Pool, conditions: Conditions, now: number): Finding | undefined {
  const sincePoll = now - (pool.last_success_timestamp_seconds ?? now)
  const ages = pool.categories.flatMap(({ category, newest_sample_age_seconds: age }) =>
    age === null ? [] : [{ category, age: age - sincePoll }],
  )
  const seconds = ages.map(({ age }) => age)
  const values = { newest_seconds: smallest(seconds), oldest_seconds: largest(seconds) }
  const condition = firstHolding(conditions, 'sample_age', values)
  const limit = condition === undefined ? 0 : limitOf(condition)
  const old = ages.filter(({ age }) => age > limit)
  const texts = old.map(({ category, age }) => `${category} ${durationText(age)}`).join(', ')
  return found(conditions, 'sample_age', values, `the newest samples are old: ${texts}`, 'old samples')
}

function attributeFinding(unreadable: readonly AttributeStatus[]): Finding | undefined {
  if (unreadable.length === 0) return undefined
  const text = `unreadable values: ${namesText(unreadable, ({ name }) => name)}`
  const remedy = 'the log has one of the values of each attribute; report them with the version of the system'
  return warning(text, remedy, 'unreadable values')
}
