import { PROMETHEUS3 } from '../../scripts/tools/prometheus3.ts'
import { COLLECTOR, VICTORIA_METRICS } from '../../scripts/tools/scrapers.ts'

/** How `npm run test:built -- scrapers` starts a program, and what the store then has. `test/scrapers` does and checks both. */
export interface CheckedScraper {
  readonly program: Program
  /** Shown after the program; empty for its defaults. */
  readonly settings: string
  /** The row of `SCRAPERS` with the header that it sends. */
  readonly header: string
  /** Members of the scrape configuration. */
  readonly job?: Readonly<Record<string, unknown>>
  /** `--enable-feature` of Prometheus. */
  readonly features?: readonly string[]
  /** Members of the collector's `prometheus_remote_write`. */
  readonly remoteWrite?: Readonly<Record<string, unknown>>
  readonly stores: keyof typeof STORES
}

export const PROGRAMS = {
  'prometheus 2': 'Prometheus 2.42 (Debian 12)',
  'prometheus 3': `Prometheus ${PROMETHEUS3.version}`,
  'victoria-metrics': `VictoriaMetrics ${VICTORIA_METRICS.version}`,
  vmagent: `vmagent ${VICTORIA_METRICS.version}, remote write to VictoriaMetrics`,
  collector: `OpenTelemetry collector ${COLLECTOR.version}, remote write to Prometheus`,
} as const
type Program = keyof typeof PROGRAMS

/** What the store has, as shown. */
export const STORES = {
  same: 'the same series and values, types, units',
  typed: 'the same series and types; the text format has no units; values of more than 12 digits rounded',
  text: 'the same series, values and types; the text format has no units',
  native: 'the same series and values, histograms as native ones with the same buckets; types, units',
  renamed:
    'types, units; labels `otel_scope_*` are added; names with `_bytes_per_second` end with `_bytes_per_second_per_second`, and `sds_node_transaction_latency_seconds` is missing: rules and dashboards need the settings of the next row',
  converted:
    'the same series and values, types, units; histograms also have `_count`, and `_sum`, which is 0',
} as const

const SINCE_315 = 'Prometheus 3.15 and 3.16'
const COLLECTOR_HEADER = `${SINCE_315}; OpenTelemetry collector 0.165, Prometheus receiver`

const PROMETHEUS_2: readonly CheckedScraper[] = [
  { program: 'prometheus 2', settings: '', header: 'Prometheus 2.42 to 2.48', stores: 'same' },
  {
    program: 'prometheus 2',
    settings: '`--enable-feature=native-histograms`',
    header: 'Prometheus 2.42 to 2.48 with native histograms',
    features: ['native-histograms'],
    stores: 'same',
  },
]

const PROMETHEUS_3: readonly CheckedScraper[] = [
  { program: 'prometheus 3', settings: '', header: COLLECTOR_HEADER, stores: 'same' },
  {
    program: 'prometheus 3',
    settings: '`metric_name_escaping_scheme: underscores`, as Grafana Alloy sets it',
    header: `${SINCE_315} with \`metric_name_escaping_scheme: underscores\``,
    job: { metric_name_escaping_scheme: 'underscores' },
    stores: 'same',
  },
  {
    program: 'prometheus 3',
    settings: '`scrape_native_histograms: true`, `--enable-feature=created-timestamp-zero-ingestion`',
    header: `${SINCE_315} with \`scrape_native_histograms\` or created timestamps`,
    job: { scrape_native_histograms: true },
    features: ['created-timestamp-zero-ingestion'],
    stores: 'same',
  },
  {
    program: 'prometheus 3',
    settings: '`convert_classic_histograms_to_nhcb: true`',
    header: COLLECTOR_HEADER,
    job: { convert_classic_histograms_to_nhcb: true },
    stores: 'native',
  },
  {
    program: 'prometheus 3',
    settings: '`--enable-feature=openmetrics2,zstd-scrape` and OpenMetrics 2.0.0 first in `scrape_protocols`',
    header:
      'Prometheus 3.15 with `scrape_protocols: [OpenMetricsText2.0.0, OpenMetricsText1.0.0, PrometheusText0.0.4]`',
    job: { scrape_protocols: ['OpenMetricsText2.0.0', 'OpenMetricsText1.0.0', 'PrometheusText0.0.4'] },
    features: ['openmetrics2', 'zstd-scrape'],
    stores: 'same',
  },
  {
    program: 'prometheus 3',
    settings: '`scrape_protocols: [PrometheusText0.0.4]`',
    header: `${SINCE_315} with \`scrape_protocols: [PrometheusText0.0.4]\``,
    job: { scrape_protocols: ['PrometheusText0.0.4'] },
    stores: 'text',
  },
]

export const CHECKED_SCRAPERS: readonly CheckedScraper[] = [
  ...PROMETHEUS_2,
  ...PROMETHEUS_3,
  { program: 'victoria-metrics', settings: '', header: 'VictoriaMetrics, vmagent', stores: 'typed' },
  { program: 'vmagent', settings: '', header: 'VictoriaMetrics, vmagent', stores: 'typed' },
  { program: 'collector', settings: '', header: COLLECTOR_HEADER, stores: 'renamed' },
  {
    program: 'collector',
    settings: 'those [below](#opentelemetry-collector)',
    header: COLLECTOR_HEADER,
    job: { convert_classic_histograms_to_nhcb: true },
    remoteWrite: { translation_strategy: 'UnderscoreEscapingWithoutSuffixes', disable_scope_info: true },
    stores: 'converted',
  },
]
