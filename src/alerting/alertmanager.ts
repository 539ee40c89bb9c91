import { isScalar, parse, parseDocument, visit } from 'yaml'
import type { Labels } from '../catalogue.ts'
import { readInhibition } from './package_files.ts'

export type AlertmanagerConfig = ReturnType<typeof readAlertmanagerConfig>
export type Receiver = ReturnType<AlertmanagerConfig['receiversOf']>[number]

/** https://prometheus.io/docs/alerting/latest/configuration/#route; untrusted, so every member may be missing. */
interface Route {
  readonly receiver?: string
  readonly continue?: boolean
  readonly match?: Labels
  readonly match_re?: Labels
  readonly matchers?: readonly string[]
  readonly routes?: readonly Route[]
}

interface InhibitRule {
  readonly source_matchers?: readonly string[]
  readonly target_matchers?: readonly string[]
}

interface Document {
  readonly route?: Route
  readonly receivers?: readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[]
  readonly inhibit_rules?: readonly InhibitRule[]
}

/** @param text YAML, as /api/v2/status of Alertmanager has it @throws {Error} if it is not YAML */
export function readAlertmanagerConfig(text: string) {
  const { route = {}, receivers = [], inhibit_rules = [] } = (plainData(text) ?? {}) as Document
  const { inhibit_rules: ours = [] } = parse(readInhibition()) as Document
  const loaded = inhibit_rules.map(matchersOfRule)
  const missing = ours.map(matchersOfRule).filter((rule) => !loaded.some((other) => includes(other, rule)))
  const known = receivers.map(({ name, ...rest }) => ({
    name,
    /** Without an integration, such as email_configs, it sends nothing. */
    hasIntegration: Object.values(rest).some((list) => Array.isArray(list) && list.length > 0),
  }))
  return {
    /** How many inhibition rules of the package it does not have, and how many there are. */
    missingInhibitions: missing.length,
    inhibitions: ours.length,
    /** The receivers that the routes select for an alert. @throws {SyntaxError} for an expression only RE2 knows */
    receiversOf: (alert: Labels) => {
      const names = receiverNames(route, alert, '') ?? []
      return known.filter(({ name }) => names.includes(name))
    },
  }
}

/** @throws {Error} if the text is not YAML */
function plainData(text: string): unknown {
  // The search for equal keys takes quadratic time, and Alertmanager has refused them.
  const document = parseDocument(text, { uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw error
  visit(document, {
    Pair(_, { key }) {
      // Keys within keys take exponential time.
      if (!isScalar(key)) throw new Error('a key is not a text')
    },
  })
  return document.toJS()
}

/** The matchers of both sides in one notation. */
function matchersOfRule({ source_matchers = [], target_matchers = [] }: InhibitRule): ReadonlySet<string> {
  const notation = (side: string) => (text: string) =>
    `${side} ${JSON.stringify(simplest(parseMatcher(text)))}`
  return new Set([...source_matchers.map(notation('source')), ...target_matchers.map(notation('target'))])
}

/** A word as an expression, which the objects of Kubernetes have, as equality. */
const simplest = (matcher: Matcher): Matcher =>
  matcher.operator === '=~' && /^\w+$/.test(matcher.value) ? { ...matcher, operator: '=' } : matcher

/** A loaded rule may have more matchers: the operator adds the namespace to the rules of an AlertmanagerConfig. */
function includes(loaded: ReadonlySet<string>, rule: ReadonlySet<string>): boolean {
  return [...rule].every((matcher) => loaded.has(matcher))
}

/** The receivers of a route and of the routes below it; undefined if it does not match. */
function receiverNames(route: Route, alert: Labels, inherited: string): readonly string[] | undefined {
  if (!isMatch(route, alert)) return undefined
  const { receiver = inherited, routes = [] } = route
  const below: string[] = []
  for (const child of routes) {
    const found = receiverNames(child, alert, receiver)
    below.push(...(found ?? []))
    if (found !== undefined && child.continue !== true) break
  }
  return below.length > 0 ? below : [receiver]
}

function isMatch({ match = {}, match_re = {}, matchers = [] }: Route, alert: Labels): boolean {
  const all: Matcher[] = [
    ...Object.entries(match).map(([label, value]): Matcher => ({ label, operator: '=', value })),
    ...Object.entries(match_re).map(([label, value]): Matcher => ({ label, operator: '=~', value })),
    ...matchers.map(parseMatcher),
  ]
  return all.every(({ label, operator, value }) => {
    const actual = alert[label] ?? ''
    const isEqual = operator.endsWith('~') ? expressionOf(value).test(actual) : actual === value
    return isEqual !== operator.startsWith('!')
  })
}

interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

/** `severity =~ "critical|warning"` */
function parseMatcher(text: string): Matcher {
  const [, label = '', operator = '=', value = ''] =
    /^"?([^"=!~\s]+)"?\s*(=~|!~|!=|=)\s*(.*)$/s.exec(text.trim()) ?? []
  return { label, operator, value: value.startsWith('"') ? (JSON.parse(value) as string) : value }
}

/** Matches whole values. RE2 has flags at the start. */
function expressionOf(pattern: string): RegExp {
  const [flagged = '', flags = ''] = /^\(\?([ims]+)\)/.exec(pattern) ?? []
  return new RegExp(`^(?:${pattern.slice(flagged.length)})$`, flags)
}
