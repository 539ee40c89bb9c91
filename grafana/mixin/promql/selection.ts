import { PROMETHEUS } from '../settings.ts'

/** Selected values of the variables of a dashboard; undefined is All. */
export interface Selection {
  readonly cluster?: readonly string[]
  readonly job?: readonly string[]
  readonly instance?: readonly string[]
  readonly system?: readonly string[]
  readonly pool?: readonly string[]
  readonly node?: readonly string[]
  readonly namespace?: readonly string[]
  readonly topn?: number
  /** Length of the time range; default: six hours. */
  readonly rangeSeconds?: number
  /** Time between two points of the panel; default: a minute. */
  readonly intervalSeconds?: number
}

/** Escapes a value as Grafana does in a regular expression in a PromQL string. */
const escapeValue = (value: string): string => value.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\\$&`)

const pattern = (values: readonly string[] | undefined): string => {
  if (values === undefined) return '.+'
  const [only, ...more] = values.map(escapeValue)
  return more.length === 0 ? (only ?? '.+') : `(${[only, ...more].join('|')})`
}

const DEFAULT_RANGE_SECONDS = 6 * 3600
const DEFAULT_INTERVAL_SECONDS = 60
const RATE_INTERVAL = `${4 * PROMETHEUS.scrapeIntervalSeconds}s`

/** The expression that Grafana sends to Prometheus for a selection; for tests and measurements. */
export const substitute = (expr: string, selection: Selection = {}): string =>
  expr
    .replaceAll('$cluster', selection.cluster === undefined ? '.*' : pattern(selection.cluster))
    .replaceAll('$__rate_interval', RATE_INTERVAL)
    .replaceAll('$__range', `${selection.rangeSeconds ?? DEFAULT_RANGE_SECONDS}s`)
    .replaceAll('$__interval', `${selection.intervalSeconds ?? DEFAULT_INTERVAL_SECONDS}s`)
    .replaceAll('$topn', String(selection.topn ?? 10))
    .replaceAll(
      /\$(job|instance|system|pool|node|namespace)\b/g,
      (_, name: Exclude<keyof Selection, 'cluster' | 'topn' | 'rangeSeconds' | 'intervalSeconds'>) =>
        pattern(selection[name]),
    )
