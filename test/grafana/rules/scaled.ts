import { parser } from '@prometheus-io/lezer-promql'
import { parse, stringify } from 'yaml'
import { milliseconds } from '../../../grafana/mixin/promql/duration.ts'
import { type RenderedFile, renderRules } from '../../../grafana/mixin/rules/rules.ts'

interface Rule {
  readonly expr: string
  readonly for?: string
  readonly keep_firing_for?: string
}
interface Group {
  readonly interval: string
  readonly rules: readonly Rule[]
}

const DURATION = 'NumberDurationLiteralInDurationContext'

const scaleDuration = (duration: string, scale: number): string =>
  `${Math.max(1, Math.round(milliseconds(duration) * scale))}ms`

/** The expression with every range, offset and subquery step times `scale`. Numbers are the same, even those of seconds. */
export function scaleExpression(expr: string, scale: number): string {
  let text = ''
  let done = 0
  parser.parse(expr).iterate({
    enter: ({ name, from, to }) => {
      if (name !== DURATION) return
      text += expr.slice(done, from) + scaleDuration(expr.slice(from, to), scale)
      done = to
    },
  })
  return text + expr.slice(done)
}

/** The rule files with every duration times `scale`, so that a test need not wait for hours. */
export const scaledRules = (scale: number): RenderedFile[] =>
  renderRules().map(({ path, text }) => {
    const { groups } = parse(text) as { readonly groups: readonly Group[] }
    return { path, text: stringify({ groups: groups.map((group) => scaledGroup(group, scale)) }) }
  })

const scaledGroup = (group: Group, scale: number): Group => ({
  ...group,
  interval: scaleDuration(group.interval, scale),
  rules: group.rules.map((rule) => ({
    ...rule,
    expr: scaleExpression(rule.expr, scale),
    ...(rule.for && { for: scaleDuration(rule.for, scale) }),
    ...(rule.keep_firing_for && { keep_firing_for: scaleDuration(rule.keep_firing_for, scale) }),
  })),
})
