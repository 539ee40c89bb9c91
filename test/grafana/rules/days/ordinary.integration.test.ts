import { expect, test } from 'vitest'
import { ORDINARY_EVENTS } from '../../../../grafana/mixin/rules/ordinary_events.ts'
import { ALERT_GROUPS } from '../../../../grafana/mixin/rules/rules.ts'
import { COURSES } from './courses.ts'
import { firedIn } from './evaluate.ts'

const TIMEOUT_MS = 600_000
const CRITICAL = new Set(
  ALERT_GROUPS.flatMap(({ alerts }) => alerts)
    .filter(({ severity }) => severity === 'critical')
    .map(({ alert }) => String(alert)),
)

test.each(ORDINARY_EVENTS.map(({ name, alerts }) => [name, alerts] as const))(
  'days with %s raise exactly the alerts of the table, and no pages',
  async (name, alerts) => {
    const found = await firedIn(name, COURSES[name])
    const shown = Object.fromEntries([...found].map(([alert, subjects]) => [alert, [...subjects]]))
    expect(Object.keys(shown).filter((alert) => CRITICAL.has(alert))).toEqual([])
    expect(Object.keys(shown).toSorted(), JSON.stringify(shown)).toEqual([...alerts].toSorted())
  },
  TIMEOUT_MS,
)
