import type { OrdinaryEventName } from '../../../../grafana/mixin/rules/ordinary_events.ts'
import type { Emulator } from '../../../../src/emulator/emulator.ts'
import type { Scenario } from '../../../../src/emulator/model/scenarios.ts'
import { type Course, DAY, EVENT, HOUR } from './course.ts'

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

/** A course for each event. */
export const COURSES: Readonly<Record<OrdinaryEventName, Course>> = {
  'no-event': {},
  'two-sites': { emulator: { sites: 2 } },
  maintenance: scenarios([
    [EVENT, 'maintenance'],
    [EVENT + 4 * HOUR, 'healthy'],
  ]),
  'rolling-upgrade': scenarios(ROLLING),
  'prometheus-down': {
    exporters: (time) => (time >= EVENT && time < EVENT + HOUR ? [] : ['a:9438']),
  },
}
