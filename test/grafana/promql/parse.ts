import { parser } from '@prometheus-io/lezer-promql'
import { labelsOfMetric } from './known_metrics.ts'

type SyntaxNode = ReturnType<typeof parser.parse>['topNode']

/** A parsed expression. */
export interface Expression {
  readonly text: string
  readonly root: SyntaxNode
}

export interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

export interface Selector {
  readonly metric: string
  readonly matchers: readonly Matcher[]
  /** The range in brackets, as written, e.g. `4m`. */
  readonly range: string | undefined
  /** Enclosing functions and aggregations, innermost first. */
  readonly around: readonly string[]
}

/** Variables of Grafana outside of strings, which are replaced before parsing. */
const digestible = (expr: string): string =>
  expr
    .replaceAll('$__rate_interval', '4m44s')
    .replaceAll('$__interval', '5m')
    .replaceAll('$__range', '6h')
    .replaceAll('$topn', '10')

/** Replacement of `$__rate_interval` before parsing; an unusual value, so that checks can identify it. */
export const RATE_INTERVAL = '4m44s'

/** Parses an expression. @throws with the position of an error */
export const parse = (expr: string): Expression => {
  const text = digestible(expr)
  const root = parser.parse(text).topNode
  const fault = nodes(root).find((node) => node.type.isError)
  if (fault) throw new Error(`not PromQL at character ${fault.from}: ${text}`)
  return { text, root }
}

/** The node and all its descendants. */
export const nodes = (node: SyntaxNode): SyntaxNode[] => [node, ...children(node).flatMap(nodes)]

export const children = (node: SyntaxNode): SyntaxNode[] => {
  const list: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) list.push(child)
  return list
}

const textOf = ({ text }: Expression, node: SyntaxNode): string => text.slice(node.from, node.to)

export const nodesNamed = ({ root }: Expression, name: string): SyntaxNode[] =>
  nodes(root).filter((node) => node.name === name)

const ancestors = (node: SyntaxNode): SyntaxNode[] =>
  node.parent ? [node.parent, ...ancestors(node.parent)] : []

const operationOf = (expression: Expression, node: SyntaxNode): string | undefined => {
  const name = node.getChild('AggregateOp') ?? node.getChild('FunctionIdentifier')
  return name ? textOf(expression, name) : undefined
}

const matchersOf = (expression: Expression, selector: SyntaxNode): Matcher[] =>
  (selector.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map((matcher) => {
    const [label, operator, value] = children(matcher).map((part) => textOf(expression, part))
    return { label: label ?? '', operator: operator ?? '', value: (value ?? '').slice(1, -1) }
  })

/** Every selector of an expression, with the enclosing operations. */
export const selectorsOf = (expression: Expression): Selector[] =>
  nodesNamed(expression, 'VectorSelector').map((node) => {
    const name = node.getChild('Identifier')
    const matrix = node.parent?.name === 'MatrixSelector' ? node.parent : undefined
    const range = matrix?.getChild('DurationExpr')
    return {
      metric: name ? textOf(expression, name) : '',
      matchers: matchersOf(expression, node),
      range: range ? textOf(expression, range) : undefined,
      around: ancestors(node).flatMap((ancestor) => operationOf(expression, ancestor) ?? []),
    }
  })

/** The metrics of a selector: its name, or all known names that its `__name__` pattern matches. */
export const metricsOf = ({ metric, matchers }: Selector, known: readonly string[]): string[] => {
  if (metric !== '') return [metric]
  const name = matchers.find(({ label }) => label === '__name__')
  const pattern = new RegExp(`^(?:${name?.value ?? ''})$`)
  return known.filter((candidate) => pattern.test(candidate))
}

/** Labels of a result; undefined for a scalar. */
type Labels = ReadonlySet<string> | undefined

const EXPRESSIONS = new Set([
  'VectorSelector',
  'MatrixSelector',
  'SubqueryExpr',
  'StepInvariantExpr',
  'OffsetExpr',
  'ParenExpr',
  'UnaryExpr',
  'BinaryExpr',
  'AggregateExpr',
  'FunctionCall',
  'NumberDurationLiteral',
  'StringLiteral',
])

const operands = (node: SyntaxNode): SyntaxNode[] =>
  children(node).filter(({ name }) => EXPRESSIONS.has(name))

const groupings = (expression: Expression, node: SyntaxNode | null): string[][] =>
  (node?.getChildren('GroupingLabels') ?? []).map((list) =>
    list.getChildren('LabelName').map((label) => textOf(expression, label)),
  )

/** Labels of the result of an expression. @throws where two sides cannot match */
export const resultLabels = (expression: Expression): Labels => infer(expression, expression.root)

const infer = (expression: Expression, node: SyntaxNode): Labels => {
  if (node.name === 'VectorSelector') return selectorLabels(expression, node)
  if (node.name === 'AggregateExpr') return aggregateLabels(expression, node)
  if (node.name === 'FunctionCall') return functionLabels(expression, node)
  if (node.name === 'BinaryExpr') return binaryLabels(expression, node)
  const [inner] = operands(node)
  return inner ? infer(expression, inner) : undefined
}

const selectorLabels = (expression: Expression, node: SyntaxNode): Labels => {
  const name = node.getChild('Identifier')
  const pattern = matchersOf(expression, node).find(({ label }) => label === '__name__')
  return labelsOfMetric(name ? textOf(expression, name) : (pattern?.value ?? ''))
}

const KEEPING = new Set(['topk', 'bottomk'])

const aggregateLabels = (expression: Expression, node: SyntaxNode): Labels => {
  const inner = bodyOperands(node)
    .map((operand) => infer(expression, operand))
    .find((labels) => labels)
  const modifier = node.getChild('AggregateModifier')
  const [group = []] = groupings(expression, modifier)
  if (modifier?.getChild('Without'))
    return new Set([...(inner ?? [])].filter((label) => !group.includes(label)))
  const missing = group.filter((label) => !inner?.has(label))
  if (missing.length > 0) throw new Error(`${textOf(expression, node)}: no label ${missing.join(', ')}`)
  const operation = operationOf(expression, node) ?? ''
  if (KEEPING.has(operation)) return inner
  if (operation !== 'count_values') return new Set(group)
  const [label] = bodyOperands(node)
  return new Set([...group, label ? textOf(expression, label).slice(1, -1) : ''])
}

const bodyOperands = (node: SyntaxNode): SyntaxNode[] => {
  const body = node.getChild('FunctionCallBody')
  return body ? operands(body) : []
}

const functionLabels = (expression: Expression, node: SyntaxNode): Labels => {
  const name = operationOf(expression, node)
  if (name === 'time') return undefined
  if (name === 'vector') return new Set()
  const operand = bodyOperands(node)
  const inner = operand.map((one) => infer(expression, one)).find((labels) => labels)
  if (name === 'histogram_quantile') return new Set([...(inner ?? [])].filter((label) => label !== 'le'))
  if (name !== 'label_replace' && name !== 'label_join') return inner
  const target = operand[1] ? textOf(expression, operand[1]).slice(1, -1) : ''
  return new Set([...(inner ?? []), target])
}

const same = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((label) => b.has(label))

const binaryLabels = (expression: Expression, node: SyntaxNode): Labels => {
  const [left, right] = operands(node).map((operand) => infer(expression, operand))
  if (!left || !right) return left ?? right
  if (node.getChild('Or')) return new Set([...left].filter((label) => right.has(label)))
  return matchedLabels(expression, node, left, right)
}

const matchedLabels = (
  expression: Expression,
  node: SyntaxNode,
  left: ReadonlySet<string>,
  right: ReadonlySet<string>,
): ReadonlySet<string> => {
  const clause = node.getChild('MatchingModifierClause')
  const [on, extra = []] = groupings(expression, clause)
  const keeps = node.getChild('And') ?? node.getChild('Unless')
  if (!on) {
    if (!same(left, right)) throw new Error(`${textOf(expression, node)}: the two sides have other labels`)
    return left
  }
  const unmatched = on.filter((label) => !left.has(label) || !right.has(label))
  if (unmatched.length > 0) throw new Error(`${textOf(expression, node)}: no label ${unmatched.join(', ')}`)
  if (clause?.getChild('GroupLeft')) return new Set([...left, ...extra])
  if (clause?.getChild('GroupRight')) return new Set([...right, ...extra])
  return keeps ? left : new Set(on)
}
