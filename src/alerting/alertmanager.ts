import { isScalar, parse, parseDocument, visit } from 'yaml'
import { readInhibition } from './package_files.ts'

export type AlertmanagerConfig = ReturnType<typeof readAlertmanagerConfig>

interface InhibitRule {
  readonly source_matchers?: readonly string[]
  readonly target_matchers?: readonly string[]
}

/** https://prometheus.io/docs/alerting/latest/configuration; untrusted, so every member may be missing. */
interface Document {
  readonly receivers?: readonly ({ readonly name: string } & Readonly<Record<string, unknown>>)[]
  readonly inhibit_rules?: readonly InhibitRule[]
}

/** @param text YAML, as /api/v2/status of Alertmanager has it @throws {Error} if it is not YAML */
export function readAlertmanagerConfig(text: string) {
  const { receivers = [], inhibit_rules = [] } = (plainData(text) ?? {}) as Document
  const { inhibit_rules: ours = [] } = parse(readInhibition()) as Document
  const loaded = inhibit_rules.map(matchersOfRule)
  const missing = ours.map(matchersOfRule).filter((rule) => !loaded.some((other) => includes(other, rule)))
  return {
    /** How many inhibition rules of the package it does not have, and how many there are. */
    missingInhibitions: missing.length,
    inhibitions: ours.length,
    /** Names of the receivers with an integration, such as email_configs: others send nothing. */
    integrated: receivers.flatMap(({ name, ...rest }) =>
      Object.values(rest).some((list) => Array.isArray(list) && list.length > 0) ? [name] : [],
    ),
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
  const notation = (side: string) => (matcher: string) => `${side} ${simplest(matcher)}`
  return new Set([...source_matchers.map(notation('source')), ...target_matchers.map(notation('target'))])
}

/** `severity =~ "critical"` → `severity="critical"`. A word as an expression, as in objects of Kubernetes, is equality. */
function simplest(matcher: string): string {
  const [, label = '', operator = '=', value = ''] =
    /^"?([^"=!~\s]+)"?\s*(=~|!~|!=|=)\s*(.*)$/s.exec(matcher.trim()) ?? []
  const text = value.startsWith('"') ? value : JSON.stringify(value)
  return `${label}${operator === '=~' && /^"\w+"$/.test(text) ? '=' : operator}${text}`
}

/** A loaded rule may have more matchers: the operator adds the namespace to the rules of an AlertmanagerConfig. */
function includes(loaded: ReadonlySet<string>, rule: ReadonlySet<string>): boolean {
  return [...rule].every((matcher) => loaded.has(matcher))
}
