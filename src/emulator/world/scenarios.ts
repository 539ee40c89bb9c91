import type { HealthState } from '../../catalogue.ts'
import type { Node } from './topology.ts'

/** What is wrong with one node. Everything here is "nothing" in a healthy system: see {@link HEALTHY}. */
export interface Effects {
  readonly health: HealthState
  /** Disks by status; the rest are Good. */
  readonly badDisks: number
  readonly disksInMaintenance: number
  readonly disksToReplace: number
  /** Used share of usable space on the day of the switch, and what it gains a day; else the node's own cycle. */
  readonly filling?: { readonly used: number; readonly perDay: number }
  /** Factors on how often transactions fail, by whose fault it is. */
  readonly userErrors: number
  readonly systemErrors: number
  /** Factor on latencies. */
  readonly latency: number
  /** Added to the latency of each transaction, in milliseconds, however little the node has to do. */
  readonly addedLatencyMs: number
  /** Work of rebuilding lost data, in MB/s written. */
  readonly recovery: number
}

interface ScenarioRow {
  readonly help: string
  /** How long the dashboard operations take to answer, in milliseconds. */
  readonly answerDelay?: number
  readonly effects: (node: Node) => Partial<Effects>
}

const HEALTHY: Effects = {
  health: 'Good',
  badDisks: 0,
  disksInMaintenance: 0,
  disksToReplace: 0,
  userErrors: 1,
  systemErrors: 1,
  latency: 1,
  addedLatencyMs: 0,
  recovery: 0,
}

/** Worlds to demonstrate and to test with. */
export const SCENARIOS = {
  healthy: {
    help: 'everything works',
    effects: () => ({}),
  },
  'node-down': {
    help: 'the first node of the first pool does not answer, and its neighbours rebuild its data',
    effects: (node) => {
      if (node.pool.index !== 0) return {}
      return node.index === 0 ? { health: 'NotAccessible' } : { recovery: 120 }
    },
  },
  'disk-failures': {
    help: 'every second node has bad disks or disks to replace; one node is Suspect and one is Bad',
    effects: failingDisks,
  },
  'filling-up': {
    help: 'used capacity grows fast: nodes of the first pool are above 90 %, the others get there within days',
    effects: (node) => ({ filling: fillingOf(node) }),
  },
  'error-burst': {
    help: 'many transactions fail, by the fault of the system and of its users',
    effects: () => ({ userErrors: 10, systemErrors: 1_500, latency: 1.5 }),
  },
  slow: {
    help: 'each transaction takes 0.6 s longer, and the management API takes two seconds to answer',
    answerDelay: 2_000,
    // Added, not multiplied: the load, and with it a product, falls at night and at weekends.
    effects: () => ({ addedLatencyMs: 600 }),
  },
} as const satisfies Record<string, ScenarioRow>

export type Scenario = keyof typeof SCENARIOS
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as readonly Scenario[]

/** Milliseconds that the dashboard takes to answer. */
export function answerDelay(scenario: Scenario): number {
  const row: ScenarioRow = SCENARIOS[scenario]
  return row.answerDelay ?? 0
}

function failingDisks(node: Node): Partial<Effects> {
  if (node.index % 2 === 1) return { recovery: 40 }
  const health: HealthState = node.index === 0 ? (node.pool.index === 0 ? 'Bad' : 'Suspect') : 'Good'
  const worst = node.index === 0
  return {
    health,
    badDisks: worst ? 3 : 1,
    disksInMaintenance: worst ? 1 : 0,
    disksToReplace: 1,
    recovery: 80,
  }
}

/** Shares of usable space, by the node's place in its pool; in order, so that a pool of one node is full too. */
const FULL = [
  { used: 0.945, perDay: 0.002 },
  { used: 0.885, perDay: 0.007 },
  { used: 0.925, perDay: 0.003 },
] as const
const FILLING = [
  { used: 0.86, perDay: 0.008 },
  { used: 0.81, perDay: 0.01 },
  { used: 0.77, perDay: 0.009 },
] as const

function fillingOf(node: Node): { used: number; perDay: number } {
  const shares = node.pool.index === 0 ? FULL : FILLING
  return shares[node.index % shares.length] ?? shares[0]
}

/** A stretch of time, from `from` on, in which one scenario is played. Seconds. */
interface Act {
  readonly scenario: Scenario
  readonly from: number
  /** Midnight (UTC) of the day of the switch: what "filling-up" counts its days from. */
  readonly day: number
  /** By pool index and node index, so that a moment of a long series costs no new object. */
  readonly effects: readonly (readonly Effects[])[]
}

const SECONDS_PER_DAY = 86_400

/** Which scenario is played when. */
export interface Stage {
  readonly current: () => Scenario
  /** Plays a scenario from `from` on; from -Infinity on, it replaces the whole past too. Seconds. */
  readonly play: (scenario: Scenario, now: number, from: number) => void
  readonly actAt: (t: number) => Act
}

/** Begins with `scenario`, in the whole past; `now` in seconds. */
export function createStage(
  scenario: Scenario,
  now: number,
  pools: readonly { nodes: readonly Node[] }[],
): Stage {
  const actOf = (name: Scenario, at: number, from: number): Act => ({
    scenario: name,
    from,
    day: at - (at % SECONDS_PER_DAY),
    effects: pools.map((pool) =>
      pool.nodes.map((node) => ({ ...HEALTHY, ...SCENARIOS[name].effects(node) })),
    ),
  })
  let acts: readonly [Act, ...Act[]] = [actOf(scenario, now, Number.NEGATIVE_INFINITY)]
  const last = () => acts.at(-1) ?? acts[0]
  return {
    current: () => last().scenario,
    play: (name, at, from) => {
      const act = actOf(name, at, from)
      acts = from === Number.NEGATIVE_INFINITY ? [act] : [...acts, act]
    },
    actAt: (t) => (t >= last().from ? last() : (acts.findLast((act) => t >= act.from) ?? acts[0])),
  }
}
