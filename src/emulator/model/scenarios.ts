import type { HealthState } from '../../catalogue.ts'
import { SECONDS_PER_DAY } from '../../time_units.ts'
import type { Node } from './topology.ts'

export interface ScenarioRow {
  readonly help: string
  /** Delay of responses under /dashboard/, in milliseconds. */
  readonly responseDelayMs?: number
  /** Sites that it needs at least; default: 1. */
  readonly sites?: number
  /** The effects on a node; absent: none. */
  readonly effects?: (node: Node) => Partial<Effects>
}

/** A node on which a scenario has no effects. */
const HEALTHY = {
  health: 'Good' as HealthState,
  /** Disks by status; all other disks are Good. */
  badDisks: 0,
  disksInMaintenance: 0,
  disksToReplace: 0,
  /** Used ratio of usable space on the day of the switch and its growth a day; undefined: the node's own cycle. */
  filling: undefined as { readonly used: number; readonly perDay: number } | undefined,
  /** Factors on the rate of failed transactions of category User and System. */
  userErrors: 1,
  systemErrors: 1,
  /** Factor on latencies. */
  latency: 1,
  /** Added to the latency of each transaction at any load, in milliseconds. */
  addedLatencyMs: 0,
  /** Bandwidth of rebuilding lost data, in MB/s written. */
  recovery: 0,
}
export type Effects = Readonly<typeof HEALTHY>

export const SCENARIOS = {
  healthy: {
    help: 'no faults',
  },
  'node-down': {
    help: 'the first node of the first pool is not accessible, and the other nodes of the pool rebuild its data',
    effects: (node) => {
      if (node.pool.index !== 0) return {}
      return node.index === 0 ? { health: 'NotAccessible' } : { recovery: 120 }
    },
  },
  maintenance: {
    help: 'the first node of the first pool is in maintenance with all its disks',
    effects: (node) =>
      node.pool.index === 0 && node.index === 0
        ? { health: 'Maintenance', disksInMaintenance: node.disks }
        : {},
  },
  'disk-failures': {
    help: 'every second node has bad disks or disks to replace; one node is Suspect and one is Bad',
    effects: failingDisks,
  },
  'filling-up': {
    help: 'used capacity grows fast: the first pool is above 90 %, the other pools reach 90 % within days',
    effects: (node) => ({ filling: fillingOf(node) }),
  },
  'error-burst': {
    help: 'many transactions fail, with system errors and user errors',
    effects: () => ({ userErrors: 10, systemErrors: 1_500, latency: 1.5 }),
  },
  slow: {
    help: 'each transaction takes 0.6 s longer, and the dashboard API responds after 2 s',
    responseDelayMs: 2_000,
    // Added, not multiplied: the base latency falls with the load at night and at weekends.
    effects: () => ({ addedLatencyMs: 600 }),
  },
  'site-down': {
    help: 'the last of two or more sites cannot be reached: failed links, and a backlog that grows since midnight (UTC)',
    sites: 2,
  },
  'site-rejoin': {
    help: 'the last of two or more sites joins again: its links copy the data from 0 % to 100 % within each day (UTC)',
    sites: 2,
  },
  'quota-near': {
    help: 'two namespaces are just below their hard quota, a third one reaches it within days',
  },
  upgrade: {
    help: 'the software of every second node is one version newer',
  },
  'array-alerts': {
    help: 'the system has unacknowledged critical alerts and errors, and one more warning every 30 minutes',
  },
} as const satisfies Record<string, ScenarioRow>

export type Scenario = keyof typeof SCENARIOS

function failingDisks(node: Node): Partial<Effects> {
  if (node.index % 2 === 1) return { recovery: 40 }
  const health: HealthState = node.index === 0 ? (node.pool.index === 0 ? 'Bad' : 'Suspect') : 'Good'
  const isWorst = node.index === 0
  return {
    health,
    badDisks: isWorst ? 3 : 1,
    disksInMaintenance: isWorst ? 1 : 0,
    disksToReplace: 1,
    recovery: 80,
  }
}

/** Used ratios of usable space, by node index. The first entry is above 90 %, so that a pool of one node is full too. */
const FULL = [
  { used: 0.945, perDay: 0.002 },
  { used: 0.885, perDay: 0.007 },
  { used: 0.925, perDay: 0.003 },
] as const
const FILLING = [
  { used: 0.86, perDay: 0.008 },
  { used: 0.84, perDay: 0.01 },
  { used: 0.77, perDay: 0.009 },
] as const

function fillingOf(node: Node): { used: number; perDay: number } {
  const ratios = node.pool.index === 0 ? FULL : FILLING
  return ratios[node.index % ratios.length] ?? ratios[0]
}

/** A period of time with one scenario. It starts at `from` and ends where the next period starts. Epoch seconds. */
interface Period {
  readonly scenario: Scenario
  readonly from: number
  /** Midnight (UTC) of the day of the switch: scenario "filling-up" counts its days from here. */
  readonly day: number
  /** By pool index and node index; computed once, so that a long series allocates nothing per point. */
  readonly effects: readonly (readonly Effects[])[]
}

export type Timeline = ReturnType<typeof createTimeline>

/** A timeline on which `scenario` covers the whole past. `now` in epoch seconds. */
export function createTimeline(
  scenario: Scenario,
  now: number,
  pools: readonly { nodes: readonly Node[] }[],
) {
  const periodOf = (name: Scenario, at: number, from: number, firstNode = 0): Period => {
    const row: ScenarioRow = SCENARIOS[name]
    const effects = pools.map(({ nodes }) =>
      nodes.map((node) => {
        const index = (node.index - firstNode + nodes.length) % nodes.length
        return { ...HEALTHY, ...row.effects?.({ ...node, index }) }
      }),
    )
    return { scenario: name, from, day: at - (at % SECONDS_PER_DAY), effects }
  }
  let periods: readonly [Period, ...Period[]] = [periodOf(scenario, now, Number.NEGATIVE_INFINITY)]
  const last = () => periods.at(-1) ?? periods[0]
  return {
    current: (): Scenario => last().scenario,
    /**
     * Starts a scenario at `from`; -Infinity also replaces the whole past. Epoch seconds.
     * @param firstNode index of the node that has the effects of the first one; those of the next ones follow
     */
    switchTo: (name: Scenario, at: number, from: number, firstNode?: number): void => {
      const period = periodOf(name, at, from, firstNode)
      periods = from === Number.NEGATIVE_INFINITY ? [period] : [...periods, period]
    },
    periodAt: (t: number): Period =>
      t >= last().from ? last() : (periods.findLast((period) => t >= period.from) ?? periods[0]),
    /** Another object after each switch. */
    periods: (): readonly Period[] => periods,
  }
}
