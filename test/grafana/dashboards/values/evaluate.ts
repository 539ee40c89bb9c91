import { resolve } from 'node:path'
import { stringify } from 'yaml'
import { type Selection, substitute } from '../../../../grafana/mixin/promql/selection.ts'
import { temporaryFolder } from '../../../support/folders.ts'
import { run as runProgram } from '../../../support/processes.ts'
import { testRules } from '../../../support/promtool.ts'
import { toolPath } from '../../../support/tools.ts'
import { type PanelQuery, panelQueries } from '../queries.ts'
import { type InputSeries, type Labels, labelText, NOW } from './series.ts'

type LabelledValues = readonly (readonly [labels: Labels, value: number])[]
/** The result of a query: one value without labels, several with labels, or none. */
export type ExpectedValue = number | LabelledValues

/** The results of the queries A, B, … of a panel. */
export type ExpectedValues = readonly ExpectedValue[]

export const NOTHING: ExpectedValue = []

/** Values by system, pool and node: `fra/p1/n1`. */
export const at = (values: Readonly<Record<string, number>>, more: Labels = {}): LabelledValues =>
  Object.entries(values).map(([place, value]) => {
    const parts = place.split('/').map((part, index) => [['system', 'pool', 'node'][index], part])
    return [{ ...Object.fromEntries(parts), ...more }, value]
  })
/** Values by the value of a label. */
export const by = (
  label: string,
  values: Readonly<Record<string, number>>,
  more: Labels = {},
): LabelledValues => Object.entries(values).map(([name, value]) => [{ ...more, [label]: name }, value])

const QUERIES = panelQueries()
/** Dashboard and panel of a query, e.g. `sds-pool / Free`. */
export const place = ({ dashboard, panel }: PanelQuery): string => `${dashboard} / ${panel}`
/** The queries of a panel, or the one whose letter follows, e.g. `sds-pool / Free / A`. */
export const queriesAt = (where: string): PanelQuery[] =>
  QUERIES.filter((query) => place(query) === where || `${place(query)} / ${query.refId}` === where)

const samples = (answer: ExpectedValue) =>
  (typeof answer === 'number' ? [[{}, answer] as const] : answer).map(([labels, value]) => ({
    labels: labelText(labels),
    value,
  }))

/** A unit test of promtool for the results of panels. */
export const unitTest = (
  name: string,
  series: readonly InputSeries[],
  selection: Selection,
  ...expected: readonly Readonly<Record<string, ExpectedValues>>[]
) => ({
  name,
  interval: '1m',
  input_series: series,
  promql_expr_test: expected.flatMap(Object.entries<ExpectedValues>).flatMap(([where, answers]) =>
    queriesAt(where).map(({ expr }, index) => ({
      expr: substitute(expr, { instance: ['a:9438', 'b:9438'], ...selection }),
      eval_time: `${NOW}s`,
      exp_samples: samples(answers[index] ?? NOTHING),
    })),
  ),
})

const RECORDING = resolve('deploy/prometheus/rules/sds-recording.yml')

/** Prometheus 3 sums and interpolates with other rounding, and its promtool can allow for it. */
const tolerance = async () => {
  const { stdout, stderr } = await runProgram(toolPath('promtool'), ['--version'])
  return /version 3/.test(`${stdout}${stderr}`) ? { fuzzy_compare: true } : {}
}

/** Runs unit tests with promtool, by default with the recording rules. @returns its output */
export const run = async (tests: readonly unknown[], { rules = true, every = '1m' } = {}) => {
  using folder = temporaryFolder()
  const content = {
    ...(await tolerance()),
    rule_files: rules ? [RECORDING] : [],
    evaluation_interval: every,
    tests,
  }
  const file = folder.write('values.yml', stringify(content, { aliasDuplicateObjects: false }))
  const { stdout, stderr } = await testRules(file)
  return `${stdout}${stderr}`
}
