import type { OrdinaryEventName } from '../../../../grafana/mixin/rules/ordinary_events.ts'
import type { Scenario } from '../../../../src/emulator/model/scenarios.ts'
import type { Emulator } from '../../../support/programs/emulator.ts'
import { type Course, DAY, EVENT, HOUR, LONG_DAYS, type Sample } from './course.ts'

/** A scenario from a time on, with the node that has its effects. */
type Switch = readonly [time: number, scenario: Scenario, firstNode?: number]

/** Switches the scenario when its time comes. */
const scenarios = (switches: readonly Switch[]): Pick<Course, 'before'> => ({
  before(emulator: Emulator, now) {
    for (const [time, scenario, firstNode] of switches)
      if (time === now) emulator.setScenario(scenario, undefined, firstNode)
  },
})

const NODES = 5

/** Version numbers are mixed while the upgrade lasts. */
const ROLLING: readonly Switch[] = Array.from({ length: NODES }, (_, node): Switch[] => [
  [EVENT + node * DAY, 'maintenance', node],
  [EVENT + node * DAY + HOUR, node === NODES - 1 ? 'healthy' : 'upgrade'],
]).flat()

const ofNode = (node: string) => new RegExp(`\\bnode="${node}"`)
const FILLED_AGAIN = 10 * DAY

/** The second node is away, and its successor fills for days. A drop of its traffic is not part of it. */
const replaced = ({ series, value }: Sample, time: number): Sample | undefined => {
  if (time < EVENT || !ofNode('hot-node-02').test(series)) return { series, value }
  if (time < EVENT + 4 * HOUR) return undefined
  const filled = Math.min(1, (time - EVENT) / FILLED_AGAIN)
  const isSpace = /_space_allocated(_level)?_bytes/.test(series)
  return {
    series: series.replace(/node_id="[^"]*"/, 'node_id="00000000-0000-0000-0000-000000000002"'),
    value: isSpace ? value * filled : value,
  }
}

/** From Friday, 18:00, to Monday, 6:00; the event is on a Thursday, at 10:00. */
const WEEKEND = { from: EVENT + 32 * HOUR, to: EVENT + 92 * HOUR }
const TRAFFIC = /^sds_node_transactions?_/

/** A course for each event. */
export const COURSES: Readonly<Record<OrdinaryEventName, Course>> = {
  'no-event': { days: LONG_DAYS },
  'two-sites': { emulator: { sites: 2 } },
  maintenance: scenarios([
    [EVENT, 'maintenance'],
    [EVENT + 4 * HOUR, 'healthy'],
  ]),
  'rolling-upgrade': { days: 18, ...scenarios(ROLLING) },
  // The pool is used above the level at which forecasts raise alerts, and the new nodes fill within two weeks.
  expansion: { days: LONG_DAYS, emulator: { seed: 'h', nodes: 7, newNodes: 2, newNodeHours: 1 } },
  replacement: { days: 24, exported: replaced },
  'renamed-pool': {
    exported: ({ series, value }, time) => ({
      series: time < EVENT ? series : series.replace('pool="hot"', 'pool="warm"'),
      value,
    }),
  },
  'quiet-weekend': {
    // Until a week after it.
    days: 24,
    exported: ({ series, value }, time) => {
      const quiet = time >= WEEKEND.from && time < WEEKEND.to && TRAFFIC.test(series)
      return { series, value: quiet ? 0 : value }
    },
  },
  'second-exporter': {
    exporters: (time) => {
      if (time < EVENT) return ['a:9438']
      return time < EVENT + DAY ? ['a:9438', 'b:9438'] : ['b:9438']
    },
  },
  'prometheus-down': { exporters: (time) => (time >= EVENT && time < EVENT + HOUR ? [] : ['a:9438']) },
}
