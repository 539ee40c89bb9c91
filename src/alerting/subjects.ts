import type { Subject } from './config.ts'

/** A text as PromQL and Prometheus' templates quote it. */
const quoted = (text: string): string => JSON.stringify(text)

/** A vector with one element that has the labels of the subject; `$` begins a group in a replacement. */
export function labelled(vector: string, { system, pool }: Subject): string {
  const withLabel = (inner: string, label: string, value: string): string =>
    `label_replace(${inner}, "${label}", ${quoted(value.replaceAll('$', '$$$$'))}, "", "")`
  const ofSystem = withLabel(vector, 'system', system)
  return pool === undefined ? ofSystem : withLabel(ofSystem, 'pool', pool)
}

const labelsOf = ({ pool }: Subject): string => (pool === undefined ? 'system' : 'system,pool')

/** The part of a vector that is about one subject, or about all, without others. */
export function restricted(expr: string, only: Subject | undefined, except: readonly Subject[]): string {
  const all = [
    ...(only === undefined ? [] : [`and on (${labelsOf(only)}) ${labelled('vector(1)', only)}`]),
    ...except.map((subject) => `unless on (${labelsOf(subject)}) ${labelled('vector(1)', subject)}`),
  ]
  return all.length === 0 ? expr : [`(\n${expr}\n)`, ...all].join('\n')
}

/**
 * The labels of the subject for a rule. Its result has them already; promtool refuses rules with the same name and
 * labels. Values of labels are templates.
 */
export function ruleLabels(subject: Subject | undefined): Record<string, string> {
  const entries = Object.entries(subject ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, value.replaceAll('{{', '{{ "{{" }}')]))
}
