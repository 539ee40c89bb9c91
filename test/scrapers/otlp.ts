import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Metadata, OWN_SERIES } from './series.ts'

/** The members of an OTLP request of metrics, in JSON, that the test reads. */
interface OtlpMetrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[]
  }[]
}
interface OtlpMetric {
  readonly name: string
  readonly unit?: string
  readonly gauge?: object
  readonly sum?: object
  readonly histogram?: object
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string
  /** The last request. @throws if there was none */
  last(): OtlpMetrics
}

/** Receives OTLP over HTTP in JSON, without compression. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  let last: OtlpMetrics | undefined
  const server = createServer(async (incoming, outgoing) => {
    last = JSON.parse(await text(incoming)) as OtlpMetrics
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    last() {
      if (last === undefined) throw new Error('nothing was received')
      return last
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Units of UCUM, which the collector writes, as those of OpenMetrics. */
const UNITS: Readonly<Record<string, string>> = {
  '1': 'ratio',
  By: 'bytes',
  s: 'seconds',
  'By/s': 'bytes_per_second',
}

/** With the names and types of OpenMetrics, without the series that the collector adds. */
export function otlpMetadata({ resourceMetrics }: OtlpMetrics): Metadata {
  const metrics = resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((scope) => scope.metrics),
  )
  const scraped = metrics.filter(({ name }) => !OWN_SERIES.test(name))
  return new Map(
    scraped.map((metric) => {
      const type = typeOf(metric)
      const family = type === 'counter' ? metric.name.replace(/_total$/, '') : metric.name
      return [family, { type, unit: unitOf(metric) }]
    }),
  )
}

function typeOf({ gauge, sum, histogram }: OtlpMetric): string {
  if (gauge !== undefined) return 'gauge'
  if (sum !== undefined) return 'counter'
  return histogram === undefined ? 'unknown' : 'histogram'
}

const unitOf = ({ unit = '' }: OtlpMetric) => UNITS[unit] ?? unit
