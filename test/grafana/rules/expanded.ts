import { RECORDINGS } from '../../../grafana/mixin/rules/groups/recording.ts'
import { type Expression, parse } from '../promql/parse.ts'

const RECORDED = new Map<string, string>(RECORDINGS.map(({ record, expr }) => [record, expr]))
const MINUS_LOOKBACK = / offset \w+/g
const RECORDED_NAME = /\b(\w+:\w+:\w+)(?:\{[^}]*\})?(?:\[(\w+)\])?/g

/** The expression with recorded series replaced by their expressions, so that its labels can be derived. */
export const expanded = (expr: string): Expression => {
  const flat = expr.replaceAll(MINUS_LOOKBACK, '')
  const whole = flat.replaceAll(RECORDED_NAME, (_all, name: string, range?: string) => {
    const inner = expanded(RECORDED.get(name) ?? 'unknown_record').text
    return `(${inner})${range === undefined ? '' : `[${range}:1m]`}`
  })
  return parse(whole)
}
