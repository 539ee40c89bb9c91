import { expect, test } from 'vitest'
import { ALERT_GROUPS } from '../../../grafana/mixin/rules/rules.ts'
import { ALERT_LABELS } from '../../../grafana/mixin/settings.ts'
import { parse, resultLabels } from '../promql/parse.ts'

/** Labels that the table of alerts does not show, with the reason. */
const NOT_SHOWN: Readonly<Record<string, string>> = {
  job: 'the same for all exporters',
  pool_id: 'the label pool has the name, or the id where there is no name',
  provider_id: 'the label provider has the name',
  node_id: 'the label node has the name, or the id where there is no name',
}

const labels = new Set(
  ALERT_GROUPS.flatMap(({ alerts }) => alerts.flatMap(({ expr }) => [...(resultLabels(parse(expr)) ?? [])])),
)

test('the table of firing alerts shows every label that says what an alert is about', () => {
  const shown: readonly string[] = [...ALERT_LABELS.columns, ...ALERT_LABELS.detail]
  expect([...labels].filter((label) => !shown.includes(label) && !(label in NOT_SHOWN))).toEqual([])
})

test('every label that the table shows is one of an alert', () => {
  expect([...ALERT_LABELS.columns, ...ALERT_LABELS.detail].filter((label) => !labels.has(label))).toEqual([])
})
