import type { SystemClient } from '../../api/client.ts'
import { poolNameIn } from '../../api/feed/feed.ts'
import { configuredPools } from '../../api/resources/pool_list.ts'
import type { SystemConfig } from '../../config/config.ts'
import { pointsPerRequest } from '../../history/sources/feed_source.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import { CommandError, EXIT } from '../cli/exit.ts'
import { createCommandClient } from '../cli/systems.ts'

export type ListedPool = Awaited<ReturnType<typeof listPools>>[number]

export interface ListedSystem {
  readonly config: SystemConfig
  readonly client: SystemClient
  /** All pools of the system. */
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
