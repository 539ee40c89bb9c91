import type { SystemClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { REASONS } from '../../api/errors/reasons.ts'
import { poolNameIn } from '../../api/feed/feed.ts'
import type { Period } from '../../api/history/history.ts'
import { lacksPerformance, missingAttributes, QUERIED } from '../../api/query/merge.ts'
import { createPastReader, KEPT_SECONDS, type PastReader } from '../../api/query/past_reader.ts'
import { hasRangeDefect, readVersions } from '../../api/query/requests/version.ts'
import { configuredPools } from '../../api/resources/pool_list.ts'
import type { SystemConfig } from '../../config/config.ts'
import type { PerformanceSource } from '../../config/sections.ts'
import type { RunSettings } from '../../history/run/journal.ts'
import { pointsPerRequest, poolSource } from '../../history/sources/feed_source.ts'
import { querySource } from '../../history/sources/query_source.ts'
import type { HistorySource } from '../../history/sources/source.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import { SECONDS_PER_DAY, SECONDS_PER_HOUR, timeText } from '../../time_units.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { createCommandClient } from '../cli/systems.ts'

interface PlanOptions {
  /** Source of the history: `auto` is the dashboard API, and the Flux API for what it lacks. */
  readonly source: PerformanceSource
  readonly period: Period
  readonly nowSeconds: number
  readonly earlier: RunSettings | undefined
  readonly signal: AbortSignal
}

/** Plan of some sources. */
export interface Plan {
  readonly sources: readonly HistorySource[]
  /** One line for each limit: what has no past, and why. */
  readonly report: readonly string[]
  /** Names of data that is not written, although the systems may have it. */
  readonly without: readonly string[]
}

const NOTHING: Plan = { sources: [], report: [], without: [] }

/** @throws {CommandError} if nothing can be read */
export async function planSources(systems: readonly ListedSystem[], options: PlanOptions): Promise<Plan> {
  let plan = NOTHING
  for (const system of systems.filter(({ chosen }) => chosen.length > 0)) {
    const pools = options.source === 'query' ? [] : system.chosen.map(poolSource)
    const queries = await planSystem(system, options)
    plan = {
      sources: [...plan.sources, ...pools, ...queries.sources],
      report: [...plan.report, ...queries.report],
      without: [...plan.without, ...queries.without],
    }
  }
  if (plan.sources.length === 0)
    throw new CommandError(['there is nothing to read', ...plan.report].join('\n'))
  return plan
}

/** Plan of the Flux API of a system: as the poller reads it, unless a flag chooses the source. */
async function planSystem(system: ListedSystem, options: PlanOptions): Promise<Plan> {
  const source = options.source === 'auto' ? system.config.performance.source : options.source
  const lacks = system.chosen.some(({ reading }) => lacksPerformance(reading))
  if (source === 'query' || (source === 'auto' && lacks)) return await planQueries(system, lacks, options)
  const flag = options.source === 'feed' ? '--source=feed' : 'performance.source: feed'
  const reason = `because of ${flag}, the Flux API is not read`
  return lacks ? { ...NOTHING, report: [missingText(system, lacks, reason)] } : NOTHING
}

/** The line about a system whose Flux API cannot be used. */
function missingText({ config: { name } }: ListedSystem, lacks: boolean, reason: string): string {
  return lacks
    ? `system ${name}: its dashboard API keeps only the history of the capacity; CPU, memory, network, transactions and disk I/O are missing: ${reason}`
    : `system ${name}: the Flux API is not read: ${reason}`
}

/**
 * Finds out whether the Flux API of a system has a history that can be used, by its release and by queries for the
 * last half hour with absolute times. Of a period that is deleted by now, no request is sent. A run that is continued
 * reads what it read before.
 * @param lacks whether the dashboard API lacks metrics that the Flux API may have
 * @throws {ApiError} for failures that may pass
 * @throws {CommandError} if a run that is continued cannot read it now
 */
async function planQueries(system: ListedSystem, lacks: boolean, options: PlanOptions): Promise<Plan> {
  const { earlier, nowSeconds, period, signal } = options
  const { client, config, chosen, pools } = system
  const { name, performance } = config
  const key = `${name} query ${chosen.map(({ poolId }) => poolId).join(' ')}`
  const cannot = (reason: string): Plan => {
    if (earlier?.sources.includes(key))
      throw new CommandError(`system ${name}: what is left cannot be read now: ${reason}\n${TRY_AGAIN}`)
    const without = [`the Flux API of system ${name}`]
    return { ...NOTHING, report: [missingText(system, lacks, reason)], without }
  }
  if (earlier?.sources.includes(key) === false) return cannot('it was not read when the run began')
  const { interfaces } = performance
  const reader = createPastReader({ interfaces, query: client.query, nowSeconds })
  const queried = chosen.map(({ label, reading }) => {
    const attributes = new Set(options.source === 'query' ? QUERIED : missingAttributes(reading))
    return { label, nodes: reading.nodes, attributes }
  })
  const nodes = pools.flatMap(({ reading }) => reading.nodes)
  const from = nowSeconds - Math.max(...Object.values(KEPT_SECONDS))
  const sources = [querySource({ key, system: name, reader, nodes, pools: queried, from })]
  const linesOf = (lines: readonly string[]) => lines.map((line) => `system ${name}: ${line}`)
  if (from >= period.end) return { ...NOTHING, sources, report: linesOf(timeLimits(options)) }
  const problem = (await releaseDefect(client, signal)) ?? (await probe(reader, nowSeconds, signal))
  if (problem !== undefined) return cannot(problem)
  const refused = [...reader.refused()]
  const lines = refused.map(([query, { detail }]) => `${query} is missing: ${detail}`)
  return {
    sources,
    without: refused.map(([query]) => `${query} of system ${name}`),
    report: linesOf([...timeLimits(options), ...lines]),
  }
}

const TRY_AGAIN = 'What was read is saved: run the same command with --resume later.'

/** Why the Flux API of this release must not be asked for history. */
async function releaseDefect(client: SystemClient, signal: AbortSignal): Promise<string | undefined> {
  const versions = await readVersions(client.resource, signal)
  if (versions === undefined)
    return 'the release cannot be read from /vdc/nodes, and 3.7 and 3.8.0 have wrong values in ranges'
  const defect = `the Flux API of release ${versions.join(' and ')} has wrong values in ranges; this is fixed in 3.8.1`
  return hasRangeDefect(versions) ? defect : undefined
}

const PROBED_SECONDS = 1800

/** Reads the last half hour. @returns why the Flux API cannot be used */
async function probe(
  reader: PastReader,
  nowSeconds: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await reader.read({ start: nowSeconds - PROBED_SECONDS, stop: nowSeconds }, signal)
    return undefined
  } catch (failure) {
    if (!(failure instanceof ApiError) || REASONS[failure.reason].origin !== 'request') throw failure
    const isRefused = failure.reason === 'client_error'
    return isRefused ? `it refuses queries with absolute times: ${failure.detail}` : failure.detail
  }
}

const KINDS = [
  { bucket: 'monitoring_main', what: 'transactions, latency and disk I/O' },
  { bucket: 'monitoring_op', what: 'CPU, memory and network' },
] as const

const wholeHour = (seconds: number) => Math.floor(seconds / SECONDS_PER_HOUR) * SECONDS_PER_HOUR

/** One line for each kind of metrics that the system has deleted a part of. */
function timeLimits({ period, nowSeconds }: PlanOptions): string[] {
  return KINDS.flatMap(({ bucket, what }) => {
    const keptSeconds = KEPT_SECONDS[bucket] ?? 0
    const keptFrom = nowSeconds - keptSeconds
    if (period.start >= keptFrom) return []
    const since = period.end <= keptFrom ? 'are missing' : `begin about ${timeText(wholeHour(keptFrom))}`
    return [`${what} ${since}: the Flux API keeps them for ${keptSeconds / SECONDS_PER_DAY} days`]
  })
}

type ListedPool = Awaited<ReturnType<typeof listPools>>[number]

interface ListedSystem {
  readonly config: SystemConfig
  readonly client: SystemClient
  readonly pools: readonly ListedPool[]
  /** The pools whose past is written. */
  readonly chosen: readonly ListedPool[]
}

interface ConnectOptions {
  readonly systems: readonly SystemConfig[]
  /** Names or ids of the pools; undefined: all. */
  readonly chosen: readonly string[] | undefined
  readonly signal: AbortSignal
}

/**
 * Lists the pools of the systems with the labels that `/metrics` gives them, which needs the current values of all
 * pools of a system: a name that is not unique is replaced by the id.
 * @throws {CommandError} usage error, for a chosen pool that does not exist
 */
export async function connect(options: ConnectOptions) {
  let requests = 0
  const clients: SystemClient[] = []
  const close = async () => void (await Promise.allSettled(clients.map((client) => client.close())))
  try {
    const listed: ListedSystem[] = []
    for (const system of options.systems) {
      const exchanged = () => {
        requests += 1
      }
      const client = createCommandClient(system, { exchanged })
      clients.push(client)
      const pools = await listPools(system, client, options.signal)
      const chosen = pools.filter((pool) => options.chosen?.some((name) => isCalled(pool, name)) ?? true)
      listed.push({ config: system, client, pools, chosen })
    }
    const all = listed.flatMap(({ pools }) => pools)
    checkChosen(all, options.chosen)
    return {
      systems: listed,
      /** Number of requests sent so far. */
      requests: () => requests,
      [Symbol.asyncDispose]: close,
    }
  } catch (failure) {
    await close()
    throw failure
  }
}

async function listPools(system: SystemConfig, client: SystemClient, signal: AbortSignal) {
  const read = []
  for (const { id, name } of configuredPools(system.pools) ?? (await client.pools(signal)).pools) {
    const reading = await client.nodes(id, signal)
    read.push({ id, name: poolNameIn(reading.nodes) ?? name, reading })
  }
  const names = uniqueNames(read)
  return read.map(({ id, reading }, index) => {
    const label = names[index] ?? id
    return {
      key: `${system.name} ${id}`,
      system: system.name,
      poolId: id,
      /** The label `pool`. */
      label,
      points: pointsPerRequest(reading, system.limits.maxResponseBytes),
      client,
      reading,
    }
  })
}

function checkChosen(pools: readonly ListedPool[], chosen: readonly string[] | undefined): void {
  for (const name of chosen ?? []) {
    if (pools.some((pool) => isCalled(pool, name))) continue
    const names = pools.map(({ label }) => label).join(', ')
    throw new CommandError(`unknown pool ${name}; pools: ${names}`, EXIT.usage)
  }
}

function isCalled({ label, poolId }: ListedPool, name: string): boolean {
  return label === name || poolId === name
}
