import { keyOf, mix, unit, uuidOf } from './random.ts'

/** The constant properties of one node. Space in bytes, `nicCapacity` in MB/s over both directions. */
export type Node = Readonly<ReturnType<typeof createNode>>

export interface Pool {
  readonly index: number
  readonly id: string
  readonly uuid: string
  readonly name: string
  /** Position of the nodes in their cycle of filling and emptying at time 0, from 0 to 1. */
  readonly phase: number
  readonly nodes: readonly Node[]
}

const POOL_NAMES = ['hot', 'archive', 'backup', 'media', 'research', 'lab']
const DISKS_PER_NODE = [12, 24, 24, 60]
/** Multiples of ten bytes, so that the reserve of a tenth is a whole number. */
const DISK_BYTES = [4_000_000_000_000, 8_000_000_000_000, 12_000_000_000_000]
const MEMORY_BYTES = [64, 128, 192].map((gib) => gib * 2 ** 30)
/** Two ports of 10 or 25 Gbit/s, in MB/s. */
const NIC_CAPACITY = [2_500, 6_250]
/** Minimum pool sizes for a node without errors, one that shrinks, and new ones. */
const MIN_NODES_FOR_FAULTLESS = 5
const MIN_NODES_FOR_SHRINKING = 4
const MIN_NODES_FOR_NEW = 3
const PHASE_SPREAD = 0.06
/** The golden ratio: spreads any number of pools over the cycle, so that no two are emptied at the same time. */
const PHASE_STEP = 0.618034
const NODES_PER_SUBNET = 200

export interface TopologyOptions extends Readonly<Record<'pools' | 'nodes' | 'newNodes', number>> {
  readonly seed: string
  /** Whether the nodes have addresses of this machine for their data ports. */
  readonly dataPorts: boolean
  /** When the new nodes, which are the last ones of each larger pool, joined. Epoch seconds. */
  readonly joinedAt: number
}

/** The pools and nodes of a seed. The nodes of a pool have the same hardware: disks, memory and network. */
export function createTopology(options: TopologyOptions) {
  const key = keyOf(options.seed)
  const pools = Array.from({ length: options.pools }, (_, index) =>
    createPool(mix(key, index), index, options, (unit(key, 7) + index * PHASE_STEP) % 1),
  )
  return { key, pools }
}

function createPool(key: number, index: number, options: TopologyOptions, phase: number): Pool {
  const uuid = uuidOf(key)
  const nodes: Node[] = []
  const pool: Pool = {
    index,
    uuid,
    phase,
    id: `urn:storageos:VirtualArray:${uuid}`,
    name: POOL_NAMES[index] ?? `pool-${index + 1}`,
    nodes,
  }
  for (let node = 0; node < options.nodes; node++)
    nodes.push(createNode(pool, mix(key, node + 1), node, options))
  return pool
}

function createNode(pool: Pool, key: number, index: number, options: TopologyOptions) {
  const { nodes: size, newNodes, joinedAt } = options
  const isNew = size >= MIN_NODES_FOR_NEW && index > 0 && index >= size - newNodes
  const hardware = keyOf(pool.uuid)
  const host = `${4 + pool.index}.${Math.floor(index / NODES_PER_SUBNET)}.${10 + (index % NODES_PER_SUBNET)}`
  return {
    index,
    /** The key of all random numbers of this node. */
    key,
    pool,
    uuid: uuidOf(key),
    address: `10.${host}`,
    dataAddress: `${options.dataPorts ? 127 : 10}.${host}`,
    name: `${pool.name}-node-${String(index + 1).padStart(2, '0')}`,
    disks: pick(DISKS_PER_NODE, hardware, 1),
    diskBytes: pick(DISK_BYTES, hardware, 2),
    memoryBytes: pick(MEMORY_BYTES, hardware, 3),
    nicCapacity: pick(NIC_CAPACITY, hardware, 4),
    load: 0.8 + 0.4 * unit(key, 5),
    /** Nodes of a pool are about equally full. */
    phase: pool.phase + PHASE_SPREAD * (unit(key, 6) - 0.5),
    /** The direction of used capacity during most of the cycle. */
    trend: size >= MIN_NODES_FOR_SHRINKING && index === size - 2 ? ('shrinks' as const) : ('grows' as const),
    /** Whether its transactions fail in scenarios only. */
    isFaultless: size >= MIN_NODES_FOR_FAULTLESS && index === size - 3,
    /** When it joined, in epoch seconds; -Infinity: it always was part of the system. */
    joinedAt: isNew ? joinedAt : Number.NEGATIVE_INFINITY,
  }
}

/** The nodes that are part of the pool at a time, in epoch seconds. */
export function nodesAt({ nodes }: Pool, t: number): readonly Node[] {
  return nodes.filter(({ joinedAt }) => joinedAt <= t)
}

function pick(choices: readonly number[], key: number, salt: number): number {
  return choices[mix(key, salt) % choices.length] ?? 0
}
