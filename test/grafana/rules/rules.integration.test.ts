import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { RECORDING_GROUPS } from '../../../grafana/mixin/rules/groups/recording.ts'
import { ALERT_GROUPS, renderRules } from '../../../grafana/mixin/rules/rules.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { checkRules, testRules } from '../../support/promtool.ts'
import { type AlertCase, EXPORTERS, type Exporters, LINKS, promtoolFiles } from './cases/case.ts'
import { ALL_CASES } from './cases/cases.ts'

interface Group {
  readonly name: string
  readonly rules: readonly { readonly record?: string; readonly alert?: string }[]
}
const GROUPS = renderRules(LINKS).flatMap(({ text }) => parse(text).groups as Group[])
const RECORDED = RECORDING_GROUPS.map(({ name }) => name)
/** An alert and what it needs to be recorded: promtool evaluates every rule that it loads. */
function groupsOf(alert: string): Group[] {
  const withRules = (group: Group, chosen: (rule: Group['rules'][number]) => boolean) => ({
    ...group,
    rules: group.rules.filter(chosen),
  })
  const alerts = GROUPS.map((group) => withRules(group, (rule) => rule.alert === alert))
  const text = JSON.stringify(alerts)
  const recordings = GROUPS.filter(({ name }) => RECORDED.includes(name)).map((group) =>
    withRules(group, ({ record }) => record !== undefined && text.includes(record)),
  )
  return [...recordings, ...alerts].filter(({ rules }) => rules.length > 0)
}
const ALERTS = ALERT_GROUPS.flatMap(({ alerts }) => alerts)

const rulesIn = (folder: { write(name: string, text: string): string }): string[] =>
  renderRules().map(({ path, text }) => folder.write(path.replaceAll('/', '_'), text))

/** Longer than promtool may run, so that its error is reported and not a timeout of the test. */
const PROMTOOL_TIMEOUT_MS = 130_000

describe('promtool', () => {
  test('accepts the rules', async () => {
    using folder = temporaryFolder()
    expect(await checkRules(...rulesIn(folder))).toMatchObject({ code: 0 })
  })

  const runs = ALERT_GROUPS.flatMap(({ component, alerts }) =>
    (Object.keys(EXPORTERS) as Exporters[]).map((exporters) => ({ component, alerts, exporters })),
  )
  test.each(runs)(
    'raises the alerts of $component, exporters: $exporters',
    async ({ alerts, exporters }) => {
      using folder = temporaryFolder()
      const cases = ALL_CASES.filter((case_) => alerts.some(({ alert }) => alert === case_.alert))
      const byAlert = [...Map.groupBy(cases, ({ alert }) => alert)]
      const files = byAlert.flatMap(([alert, ofAlert]) => {
        const groups = groupsOf(alert)
        folder.write(`${alert}.yml`, stringify({ groups }))
        const order = groups.map(({ name }) => name)
        return promtoolFiles(ofAlert, exporters, `${alert}.yml`, order).map((text, index) =>
          folder.write(`${alert}_${index}.yml`, text),
        )
      })
      const { code, stdout, stderr } = await testRules(...files)
      expect(code === 0 ? '' : `${stdout}${stderr}`).toBe('')
    },
    PROMTOOL_TIMEOUT_MS,
  )
})

/** Whether the alert fires, in the order of time. */
const history = (case_: AlertCase): boolean[] =>
  Object.entries(case_.at)
    .toSorted(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    .map(([, alerts]) => (alerts ?? []).length > 0)

const firing = (seen: boolean[]): boolean => seen.includes(true)
const silent = (seen: boolean[]): boolean => seen.length > 0 && !seen.includes(true)
const resolves = (seen: boolean[]): boolean => seen.includes(true) && seen.at(-1) === false

describe('every alert has a case in which it', () => {
  const rows = ALERTS.map(({ alert }) => ({
    alert,
    seen: ALL_CASES.filter((case_) => case_.alert === alert).map(history),
  }))
  const without = (holds: (seen: boolean[]) => boolean): string[] =>
    rows.filter(({ seen }) => !seen.some(holds)).map(({ alert }) => alert)

  test('fires', () => expect(without(firing)).toEqual([]))
  test('stays silent', () => expect(without(silent)).toEqual([]))
  test('resolves', () => expect(without(resolves)).toEqual([]))

  test('and no case is about an alert that does not exist', () => {
    const names = new Set<string>(ALERTS.map(({ alert }) => alert))
    expect(ALL_CASES.filter(({ alert }) => !names.has(alert))).toEqual([])
  })
})
