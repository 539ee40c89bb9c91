import { conditionsOf } from '../alerting/conditions.ts'
import type { AlertingConfig } from '../alerting/config.ts'
import { readRules } from '../alerting/package_files.ts'
import type { PushStatus } from '../otlp/push.ts'
import type { PollerStatus } from '../readings/poller.ts'
import type { SystemState } from '../state/state.ts'
import { counted } from '../text.ts'
import { createPoolDetails } from './pool_status.ts'
import { badFirst, systemProblems } from './problems.ts'
import type { Recent } from './recent.ts'
import { type Problem, problemState, type StateInWords, worstState } from './states.ts'
import { type SystemStatus, systemStatus } from './system_status.ts'

/**
 * The status of the exporter at one moment: the document of `/api/v1/status`, and what the status page shows. A value
 * that is not known is null. Times are in seconds since the epoch. docs/status.md has the meaning of the members.
 */
export interface Status extends StateInWords {
  readonly version: string
  readonly timestamp_seconds: number
  readonly ready: boolean
  /** The push with OTLP; absent if it is off. */
  readonly push?: ReturnType<typeof pushDocument>
  readonly problems: readonly Problem[]
  readonly systems: readonly SystemStatus[]
}

export interface StatusSources {
  readonly version: string
  /** Whether every system was polled once. */
  readonly ready: () => boolean
  readonly systems: () => readonly SystemState[]
  /** Undefined for a system that is not polled (any more). */
  readonly polling: (system: string) => PollerStatus | undefined
  readonly recent: Recent
  /** The section of the configuration; undefined: there is none. */
  readonly alerting: () => AlertingConfig | undefined
  /** The push with OTLP; undefined: it is off. */
  readonly push?: () => PushStatus | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Computes the status of this moment. Details of pools are computed once for each state of a pool. */
export function createStatusReader(sources: StatusSources): () => Status {
  const { version, ready, systems, polling, recent } = sources
  const detailOf = createPoolDetails()
  const conditions = createConditionsReader(sources.alerting)
  return () => {
    const now = sources.now() / 1000
    const conditionsFor = conditions()
    const push = sources.push?.()
    const list: SystemStatus[] = []
    const problems: Problem[] = []
    for (const state of systems()) {
      const status = polling(state.name)
      if (status === undefined) continue
      const ofPool = (pool?: string) => conditionsFor({ system: state.name, pool })
      const sources = { state, polling: status, recent, detailOf, conditionsOf: ofPool, now }
      const { system, findings } = systemStatus(sources)
      const own = systemProblems({ system, state, findings, conditions: ofPool(), now })
      // A system that is polled well may have an old certificate, for example.
      const worst = worstState([system.state, problemState(own)])
      list.push({ ...system, state: worst })
      problems.push(...own)
    }
    return {
      version,
      timestamp_seconds: now,
      ready: ready(),
      ...(push && { push: pushDocument(push) }),
      state: worstState(list.map(({ state }) => state)),
      summary: summaryOf(list, problems),
      problems: badFirst(problems),
      systems: list,
    }
  }
}

/** The rules are read for the first status, and the settings again when they change. */
function createConditionsReader(alerting: StatusSources['alerting']) {
  let last: { config: AlertingConfig | undefined; conditions: ReturnType<typeof conditionsOf> } | undefined
  return () => {
    const config = alerting()
    if (last === undefined || last.config !== config)
      last = { config, conditions: conditionsOf(readRules(), config) }
    return last.conditions
  }
}

function pushDocument({ endpoint, last, lastSuccess }: PushStatus) {
  const { result = null, problem: error = null, remedy = null } = last ?? {}
  return { endpoint, result, error, remedy, last_success_timestamp_seconds: lastSuccess ?? null }
}

function summaryOf(systems: readonly SystemStatus[], problems: readonly Problem[]): string {
  if (systems.length === 0) return 'no system is configured'
  if (problems.length > 0) return counted(problems.length, 'problem')
  const starting = systems.filter(({ state }) => state === 'starting')
  if (starting.length > 0) return `waiting for the first poll of ${counted(starting.length, 'system')}`
  return 'no problems'
}
