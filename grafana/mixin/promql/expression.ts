/**
 * The PromQL builder of dashboards and rules.
 *
 * Every metric is named by `select(metric, ...matchers)`, whose first argument is a {@link MetricName}: a name that
 * does not exist does not compile. Dashboards pass the matchers of their variables (`...SCOPE.node`, scope.ts), rules
 * pass none. Expressions are joined with the tag `promql`, which takes expressions, references to settings,
 * numbers, durations and lists of labels, and refuses a metric name in its text. The functions of operators.ts take and
 * return expressions and add no matchers; dashboards and rules use the same ones. nodes.ts and pools.ts have the expressions that several dashboards share.
 */
import type { Reference } from '../references.ts'
import type { Duration } from './duration.ts'
import type { MetricName } from './metrics.ts'

declare const KIND: unique symbol
/** PromQL that returns a vector or a scalar. */
export type Expression = string & { readonly [KIND]: 'expression' }

/** A label matcher as PromQL writes it, e.g. `status=~"Bad|Suspect"`. */
export type Matcher = `${string}${'=' | '!=' | '=~' | '!~'}"${string}"`

/** What may stand between the text of {@link promql}. A list of labels is written with commas. */
type Part = Expression | Reference | Duration | number | readonly string[]

/** A name that belongs into {@link select}. */
const METRIC = /\b(sds|process|nodejs|scrape)_\w+|\b[a-z_]+:\w+:\w+/

/** An expression from text and parts. @throws when the text names a metric */
export const promql = (text: TemplateStringsArray, ...parts: readonly Part[]): Expression => {
  const [named] = text.flatMap((piece) => METRIC.exec(piece)?.[0] ?? [])
  if (named !== undefined) throw new Error(`name the metric with select(): ${named}`)
  return String.raw({ raw: text }, ...parts.map(String)) as Expression
}

export const join = (operands: readonly Expression[], operator: string): Expression =>
  operands.join(operator) as Expression

/** A selector, e.g. `sds_node_disks{system=~"$system"}`. */
export const select = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  (matchers.length === 0 ? metric : `${metric}{${matchers.join(',')}}`) as Expression
