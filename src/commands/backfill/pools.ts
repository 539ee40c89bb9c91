import type { SystemClient } from '../../api/client.ts'
import { poolNameIn } from '../../api/feed/feed.ts'
import type { SystemConfig } from '../../config/config.ts'
import { historySeries } from '../../history/series.ts'
import { pointsPerRequest } from '../../history/sources/feed_source.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { createCommandClient, poolsOf } from '../cli/systems.ts'
import { asHistory, type PlanOptions, sizeOf } from './plan.ts'

export type ListedPool = Awaited<ReturnType<typeof listPools>>[number]

export interface ListedSystem {
  readonly config: SystemConfig
  readonly client: SystemClient
  /** All pools of the system. */
  readonly pools: readonly ListedPool[]
  /** The pools whose past is written. */
  readonly chosen: readonly ListedPool[]
}

interface ConnectOptions extends Pick<PlanOptions, 'labels' | 'signal'> {
  readonly systems: readonly SystemConfig[]
  /** Names or ids of the pools; undefined: all. */
  readonly chosen: readonly string[] | undefined
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
      const pools = await listPools(system, client, options)
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

async function listPools(
  system: SystemConfig,
  client: SystemClient,
  { labels, signal }: Pick<ConnectOptions, 'labels' | 'signal'>,
) {
  const read = []
  for (const { id, name } of await poolsOf(system, client, signal)) {
    const reading = await client.nodes(id, signal)
    read.push({ id, name: poolNameIn(reading) ?? name, reading })
  }
  const names = uniqueNames(read)
  return read.map(({ id, reading }, index) => {
    const label = names[index] ?? id
    const nodes = reading.nodes.map(asHistory)
    const size = sizeOf([...historySeries({ nodes }, { system: system.name, pool: label }, labels)])
    const points = pointsPerRequest(size.series, system.limits.maxResponseBytes)
    return {
      key: `${system.name} ${id}`,
      system: system.name,
      poolId: id,
      /** The label `pool`. */
      label,
      points,
      client,
      reading,
      /** The size of the history, if it has all attributes that are served now. */
      size,
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
