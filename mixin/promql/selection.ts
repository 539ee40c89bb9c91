import { PROMETHEUS } from '../settings.ts'

/** What is chosen in the variables of a dashboard: the values, or undefined for All. */
export interface Selection {
  readonly job?: readonly string[]
  readonly instance?: readonly string[]
  readonly system?: readonly string[]
  readonly pool?: readonly string[]
  readonly node?: readonly string[]
  readonly topn?: number
}

/** As Grafana escapes a value inside a regular expression inside a PromQL string. */
const escapeValue = (value: string): string => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\\$&`)

const pattern = (values: readonly string[] | undefined): string => {
  if (values === undefined) return '.+'
  const [only, ...more] = values.map(escapeValue)
  return more.length === 0 ? (only ?? '.+') : `(${[only, ...more].join('|')})`
}

const RATE_INTERVAL = `${4 * PROMETHEUS.scrapeIntervalSeconds}s`

/** The expression that Grafana sends to Prometheus for a selection; what tests and the preview ask. */
export const substitute = (expr: string, selection: Selection = {}): string =>
  expr
    .replaceAll('$__rate_interval', RATE_INTERVAL)
    .replaceAll('$topn', String(selection.topn ?? 10))
    .replaceAll(/\$(job|instance|system|pool|node)\b/g, (_, name: Exclude<keyof Selection, 'topn'>) =>
      pattern(selection[name]),
    )
