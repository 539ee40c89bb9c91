import type { Format } from '../../src/metrics/lines.ts'

/** A program that scrapes, with the `Accept` header that it sends by default, taken from its sources. */
export interface Scraper {
  readonly name: string
  readonly accept: string
  /** Undefined: OpenMetrics. */
  readonly gets?: Format
  /** The file of its repository that has the header. */
  readonly source: string
}

const PROTOBUF = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited'
const OPENMETRICS_1 = 'application/openmetrics-text;version=1.0.0'
const OPENMETRICS_0 = 'application/openmetrics-text;version=0.0.1'
const OPENMETRICS_2 = 'application/openmetrics-text;version=2.0.0'
const TEXT_0 = 'text/plain;version=0.0.4'
const TEXT_1 = 'text/plain;version=1.0.0'
const UTF8 = 'escaping=allow-utf-8'
const UNDERSCORES = 'escaping=underscores'

/** `scrape/scrape.go` of Prometheus since 2.49: qualities fall from one above the number of protocols that it knows. */
function weighted(known: number, protocols: readonly string[]): string {
  const values = [...protocols, '*/*'].map((protocol, index) => `${protocol};q=0.${known + 1 - index}`)
  return values.join()
}

const withEscaping = (escaping: string) => [
  `${OPENMETRICS_1};${escaping}`,
  OPENMETRICS_0,
  `${TEXT_1};${escaping}`,
  TEXT_0,
]
const WITHOUT_ESCAPING = [OPENMETRICS_1, OPENMETRICS_0, TEXT_0]
const PROMETHEUS = 'prometheus/prometheus: scrape/scrape.go'

export const SCRAPERS: readonly Scraper[] = [
  {
    name: 'Prometheus 2.42 to 2.48',
    accept: `${OPENMETRICS_1},${OPENMETRICS_0};q=0.75,${TEXT_0};q=0.5,*/*;q=0.1`,
    source: PROMETHEUS,
  },
  {
    name: 'Prometheus 2.42 to 2.48 with native histograms',
    accept: `${PROTOBUF},${OPENMETRICS_1};q=0.8,${OPENMETRICS_0};q=0.75,${TEXT_0};q=0.5,*/*;q=0.1`,
    source: PROMETHEUS,
  },
  { name: 'Prometheus 2.49 to 2.55', accept: weighted(4, WITHOUT_ESCAPING), source: PROMETHEUS },
  {
    name: 'Prometheus 2.55 with UTF-8 names',
    accept: weighted(
      4,
      WITHOUT_ESCAPING.map((protocol) => `${protocol};${UTF8}`),
    ),
    source: PROMETHEUS,
  },
  {
    name: 'Prometheus 2.49 to 2.55 with native histograms or created timestamps',
    accept: weighted(4, [PROTOBUF, OPENMETRICS_1, OPENMETRICS_0, TEXT_0]),
    source: PROMETHEUS,
  },
  {
    name: 'Prometheus 3.0 to 3.3',
    accept: weighted(
      5,
      [OPENMETRICS_1, OPENMETRICS_0, TEXT_1, TEXT_0].map((protocol) => `${protocol};${UTF8}`),
    ),
    source: PROMETHEUS,
  },
  { name: 'Prometheus 3.4 to 3.14', accept: weighted(5, withEscaping(UTF8)), source: PROMETHEUS },
  {
    name: 'Prometheus 3.4 to 3.14 with `metric_name_escaping_scheme: underscores`; Grafana Alloy `prometheus.scrape`',
    accept: weighted(5, withEscaping(UNDERSCORES)),
    source: `${PROMETHEUS}; grafana/alloy: internal/component/prometheus/scrape/scrape.go`,
  },
  {
    name: 'Prometheus 3.4 to 3.14 with `scrape_native_histograms` or created timestamps',
    accept: weighted(5, [PROTOBUF, ...withEscaping(UTF8)]),
    source: PROMETHEUS,
  },
  {
    name: 'Prometheus 3.15 and 3.16; OpenTelemetry collector 0.165, Prometheus receiver',
    accept: weighted(6, withEscaping(UTF8)),
    source: `${PROMETHEUS}; open-telemetry/opentelemetry-collector-contrib: receiver/prometheusreceiver/go.mod`,
  },
  {
    name: 'Prometheus 3.15 and 3.16 with `metric_name_escaping_scheme: underscores`',
    accept: weighted(6, withEscaping(UNDERSCORES)),
    source: PROMETHEUS,
  },
  {
    name: 'Prometheus 3.15 and 3.16 with `scrape_native_histograms` or created timestamps',
    accept: weighted(6, [PROTOBUF, ...withEscaping(UTF8)]),
    source: PROMETHEUS,
  },
  {
    name: 'Prometheus 3.15 with `scrape_protocols: [OpenMetricsText2.0.0, OpenMetricsText1.0.0, PrometheusText0.0.4]`',
    accept: weighted(6, [OPENMETRICS_2, `${OPENMETRICS_1};${UTF8}`, TEXT_0]),
    source: PROMETHEUS,
  },
  {
    name: 'Prometheus 3.15 and 3.16 with `scrape_protocols: [PrometheusText0.0.4]`',
    accept: weighted(6, [TEXT_0]),
    gets: 'text',
    source: PROMETHEUS,
  },
  {
    name: 'OpenTelemetry collector 0.118, Prometheus receiver: the library of Prometheus 2.54',
    accept: weighted(4, WITHOUT_ESCAPING),
    source: 'open-telemetry/opentelemetry-collector-contrib: receiver/prometheusreceiver/go.mod',
  },
  {
    name: 'VictoriaMetrics, vmagent',
    accept: `${TEXT_0};q=1,*/*;q=0.1`,
    gets: 'text',
    source: 'VictoriaMetrics/VictoriaMetrics: lib/promscrape/client.go',
  },
]
