import { keyOf, mix, unit, uuidOf } from './random.ts'

/** One node as it was bought: what never changes. Space in bytes, `nicCapacity` in MB/s over both directions. */
export interface Node {
  readonly index: number
  /** Source of everything random about this node. */
  readonly key: number
  readonly uuid: string
  readonly address: string
  readonly name: string
  readonly disks: number
  readonly diskBytes: number
  readonly memoryBytes: number
  readonly nicCapacity: number
  /** Share of the work that comes to this node, around 1. */
  readonly load: number
  /** See {@link Pool.phase}: the system keeps its nodes about equally full. */
  readonly phase: number
  /** Whether its used capacity mostly grows; one node of a larger pool is being emptied. */
  readonly trend: 'grows' | 'shrinks'
  /** How much capacity history the node keeps, in seconds; the node added last has lost almost all of it. */
  readonly capacityHistory: number
  readonly pool: Pool
}

export interface Pool {
  readonly index: number
  readonly id: string
  readonly uuid: string
  readonly name: string
  /** Where its nodes are, more or less, in their slow cycle of filling and emptying at time 0, from 0 to 1. */
  readonly phase: number
  readonly nodes: readonly Node[]
}

export interface Topology {
  readonly key: number
  readonly pools: readonly Pool[]
}

const POOL_NAMES = ['hot', 'archive', 'backup', 'media', 'research', 'lab']
const DISKS_PER_NODE = [12, 24, 24, 60]
/** Multiples of ten bytes, so that the reserve of a tenth is a whole number. */
const DISK_BYTES = [4_000_000_000_000, 8_000_000_000_000, 12_000_000_000_000]
const MEMORY_BYTES = [64, 128, 192].map((gib) => gib * 2 ** 30)
/** Two ports of 10 or 25 Gbit/s, in MB/s. */
const NIC_CAPACITY = [2_500, 6_250]
/** Smallest pools in which one node is being emptied, and one has no history. */
const NODES_FOR_SHRINKING = 4
const NODES_FOR_NO_HISTORY = 3
const PHASE_SPREAD = 0.06
/** The golden ratio: however many pools there are, no two are emptied at the same time. */
const PHASE_STEP = 0.618034
const HOUR = 3_600
const NODES_PER_SUBNET = 200

/** The pools and nodes of the seed. A pool is of one make: its nodes have the same disks, memory and network. */
export function createTopology(options: { seed: string; pools: number; nodes: number }): Topology {
  const key = keyOf(options.seed)
  const pools = Array.from({ length: options.pools }, (_, index) =>
    createPool(mix(key, index), index, options.nodes, (unit(key, 7) + index * PHASE_STEP) % 1),
  )
  return { key, pools }
}

function createPool(key: number, index: number, size: number, phase: number): Pool {
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
  for (let node = 0; node < size; node++) nodes.push(createNode(pool, mix(key, node + 1), node, size))
  return pool
}

function createNode(pool: Pool, key: number, index: number, size: number): Node {
  const make = keyOf(pool.uuid)
  return {
    index,
    key,
    pool,
    uuid: uuidOf(key),
    address: `10.${4 + pool.index}.${Math.floor(index / NODES_PER_SUBNET)}.${10 + (index % NODES_PER_SUBNET)}`,
    name: `${pool.name}-node-${String(index + 1).padStart(2, '0')}`,
    disks: pick(DISKS_PER_NODE, make, 1),
    diskBytes: pick(DISK_BYTES, make, 2),
    memoryBytes: pick(MEMORY_BYTES, make, 3),
    nicCapacity: pick(NIC_CAPACITY, make, 4),
    load: 0.8 + 0.4 * unit(key, 5),
    phase: pool.phase + PHASE_SPREAD * (unit(key, 6) - 0.5),
    trend: size >= NODES_FOR_SHRINKING && index === size - 2 ? 'shrinks' : 'grows',
    capacityHistory: size >= NODES_FOR_NO_HISTORY && index === size - 1 ? HOUR : Number.POSITIVE_INFINITY,
  }
}

function pick(choices: readonly number[], key: number, salt: number): number {
  return choices[mix(key, salt) % choices.length] ?? 0
}
