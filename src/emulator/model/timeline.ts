import { SECONDS_PER_DAY } from '../../time_units.ts'
import { type Effects, HEALTHY, SCENARIOS, type Scenario, type ScenarioRow } from './scenarios.ts'
import type { Node } from './topology.ts'

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
  let revision = 0
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
      revision++
    },
    periodAt: (t: number): Period =>
      t >= last().from ? last() : (periods.findLast((period) => t >= period.from) ?? periods[0]),
    /** Number of switches so far: sums over time that were computed before the last one are invalid. */
    revision: (): number => revision,
  }
}
