import type { SystemClient } from '../../api/client.ts'
import { ApiError } from '../../api/errors/errors.ts'
import { type NamedNodes, poolNameIn } from '../../api/feed/feed.ts'
import type { PoolRef } from '../../api/feed/pools.ts'
import { type FindHardware, hardwareFinder } from '../../api/resources/hardware.ts'
import { kindOf, type ResourceObject } from '../../api/resources/objects.ts'
import type { SystemConfig } from '../../config/config.ts'
import { uniqueNames } from '../../metrics/samples.ts'
import { createCommandClient, createCommandReader } from '../cli/systems.ts'

/** The name is from the feed, otherwise from the list of pools. */
interface PoolRead<Reading> extends PoolRef {
  readonly reading: Reading
  /** Time of the response: seconds since the epoch, by the clock of the system. */
  readonly readAt: number
}

/** The pools of one system that were read, and the error messages of the others. */
export interface SystemRead<Reading> {
  readonly system: string
  readonly pools: readonly PoolRead<Reading>[]
  readonly failures: readonly string[]
  /** Finds nothing where it was not requested or could not be read. */
  readonly hardwareOf: FindHardware
}

interface ReadingOptions<Reading> {
  readonly system: SystemConfig
  readonly signal: AbortSignal
  readonly onPool: (pool: string) => void
  readonly read: (client: SystemClient, poolId: string, signal: AbortSignal) => Promise<Reading>
  /** Whether racks, addresses and versions are read, too. */
  readonly readsHardware: boolean
}

/** Reads every pool of a system once and logs out. Failures of single pools are reported in the result. */
export async function readSystem<Reading extends NamedNodes>(
  options: ReadingOptions<Reading>,
): Promise<SystemRead<Reading>> {
  const { system, signal, onPool, read, readsHardware } = options
  let skewSeconds = 0
  const clockSkew = (seconds: number) => {
    skewSeconds = seconds
  }
  const client = createCommandClient(system, { clockSkew })

  async function readPool({ id, name }: PoolRef): Promise<PoolRead<Reading>> {
    onPool(name ?? id)
    const reading = await read(client, id, signal)
    return { id, name: poolNameIn(reading) ?? name, reading, readAt: Date.now() / 1000 + skewSeconds }
  }

  try {
    const refs = system.pools?.map((id) => ({ id, name: undefined })) ?? (await client.pools(signal))
    const outcomes = await Promise.allSettled(refs.map(readPool))
    const failed = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    return {
      system: system.name,
      pools: outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
      failures: [...new Set(failed.map((failure) => messageOf(failure, signal)))],
      hardwareOf: hardwareFinder(readsHardware ? await readInventory(client, system, signal) : []),
    }
  } catch (failure) {
    const failures = [messageOf(failure, signal)]
    return { system: system.name, pools: [], failures, hardwareOf: hardwareFinder() }
  } finally {
    await client.close()
  }
}

/** Without the role, or in releases that do not serve it, the nodes have no rack, address and version. */
async function readInventory(
  client: SystemClient,
  { resources }: SystemConfig,
  signal: AbortSignal,
): Promise<readonly ResourceObject[]> {
  if (resources.schedules.inventory === '') return []
  const reader = createCommandReader(client, resources)
  try {
    return (await reader.read(kindOf('node'), signal)).objects
  } catch (failure) {
    messageOf(failure, signal)
    return []
  }
}

/** @throws anything but an ApiError, and the abort reason */
export function messageOf(failure: unknown, signal: AbortSignal): string {
  if (failure instanceof ApiError) return failure.message
  throw signal.aborted ? signal.reason : failure
}

/** Descriptions of the members that say which node a row is about, for --help. */
export const IDENTITY = {
  system: 'name in the configuration, and label of the metrics',
  pool: 'name of the pool, or its id if the name is not unique',
  pool_id: 'id of the pool',
  node: 'name of the node, or its id if the name is not unique',
  node_id: 'id of the node',
} as const
export type Identity = Readonly<Record<keyof typeof IDENTITY, string>>

/** @param read all pools of one system, because duplicate names are replaced by ids */
export function identified<Node extends PoolRef, Reading extends { readonly nodes: readonly Node[] }, Row>(
  { system, pools }: Pick<SystemRead<Reading>, 'system' | 'pools'>,
  rowsOf: (node: Node, pool: PoolRead<Reading>) => readonly Row[],
): (Identity & Row)[] {
  const labels = uniqueNames(pools)
  return pools.flatMap((read, index) => {
    const { id, reading } = read
    const pool = { system, pool: labels[index] ?? id, pool_id: id }
    const names = uniqueNames(reading.nodes)
    return reading.nodes.flatMap((node, place) => {
      const identity = { ...pool, node: names[place] ?? node.id, node_id: node.id }
      return rowsOf(node, read).map((row) => ({ ...identity, ...row }))
    })
  })
}
