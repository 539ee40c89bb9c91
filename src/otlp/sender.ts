import type { Agent } from 'node:http'
import { hostname } from 'node:os'
import { gzipSync } from 'node:zlib'
import { tlsOptions } from '../api/http/connector.ts'
import type { OtlpConfig } from '../config/config.ts'
import { readTextFile } from '../values/files.ts'
import { headersFromText } from '../values/headers.ts'
import { type Rejected, type SendOutcome, type Sent, sendOutcome, TIMED_OUT } from './outcomes.ts'
import type { MetricPoints } from './points.ts'

export interface Sender {
  /** Sends one request; repeats it within the timeout where OTLP says so. Resolves soon after the timeout. */
  send(metrics: readonly MetricPoints[]): Promise<SendOutcome>
  /** Ends its connections, and a request that is under way. */
  close(): void
}

/** Headers of a file replace those of the configuration. @throws {Error} when the file cannot be used */
function headersOf({ headers, headersFile }: OtlpConfig): Readonly<Record<string, string>> {
  const read = headersFile === undefined ? { text: '' } : readTextFile(headersFile, 'secret')
  const ofFile =
    'problem' in read ? read.problem : headersFile === undefined ? {} : headersFromText(read.text)
  if (typeof ofFile === 'string') throw new Error(`the file ${headersFile} of otlp.headers_file ${ofFile}`)
  const all = Object.entries({ ...headers, ...ofFile })
  return Object.fromEntries(all.map(([name, secret]) => [name, secret.reveal()]))
}

/** A third of the CPU time of the default level, for somewhat more bytes; and one piece of memory for a compressed request. */
const COMPRESSION = { level: 1, memLevel: 9, chunkSize: 64 * 1024 } as const

/**
 * Reads the files of the configuration and loads the OpenTelemetry packages, which nothing else needs.
 * @throws {Error} when a file cannot be used
 */
export async function createSender(config: OtlpConfig, version: string): Promise<Sender> {
  const headers = headersOf(config)
  const { send, close } = await createTransport(config, { headers, version })
  // Receivers take the first two as the labels `job` and `instance`. The host name is that of the pod in Kubernetes.
  const own = {
    'service.name': 'sds-exporter',
    'service.instance.id': hostname(),
    'service.version': version,
  }
  const resource = { attributes: { ...own, ...config.resourceAttributes } }
  return {
    async send(metrics) {
      const scopeMetrics = [{ scope: { name: 'sds-exporter', version }, metrics: metrics.map(metricData) }]
      return sendOutcome(await send({ resource, scopeMetrics }), Object.values(headers))
    },
    close,
  }
}

async function createTransport(
  config: OtlpConfig,
  { headers, version }: { readonly headers: Readonly<Record<string, string>>; readonly version: string },
) {
  const { url, timeoutMs, isCompressed } = config
  const options = { keepAlive: true, maxSockets: 1, ...tlsOptions(config.tls) }
  const [{ createOtlpHttpExportDelegate, httpAgentFactoryFromOptions }, transformer] = await Promise.all([
    import('@opentelemetry/otlp-exporter-base/node-http'),
    import('@opentelemetry/otlp-transformer'),
  ])
  let agent: Agent | undefined
  let isClosed = false
  let settle: (sent: Sent) => void = () => undefined
  let rejected: Rejected | undefined
  const encoding = isCompressed ? { 'Content-Encoding': 'gzip' } : {}
  const settings: Parameters<typeof createOtlpHttpExportDelegate>[0] = {
    ...{ url, timeoutMillis: timeoutMs, concurrencyLimit: 1, compression: 'none' },
    userAgent: `sds-exporter/${version}`,
    async headers() {
      // A repetition after the end would be sent with a new connection.
      if (isClosed) throw new Error(ENDED)
      return { ...headers, 'Content-Type': 'application/x-protobuf', ...encoding }
    },
    async agentFactory(protocol) {
      agent = await httpAgentFactoryFromOptions(options)(protocol)
      return agent
    },
  }
  const serializer = createSerializer(transformer.ProtobufMetricsSerializer, isCompressed, (found) => {
    rejected = found
  })
  const { MetricsExporterMetricsHelper: helper } = transformer
  const delegate = createOtlpHttpExportDelegate(
    settings,
    serializer,
    'otlp_http_metric_exporter',
    helper,
    undefined,
  )
  /** The transport does not limit the time of a connection, nor that of a response that comes in small pieces. */
  const end = (error: Error) => {
    agent?.destroy()
    settle({ error })
  }
  return {
    async send(request: object): Promise<Sent> {
      const { promise, resolve } = Promise.withResolvers<Sent>()
      settle = resolve
      rejected = undefined
      const timer = setTimeout(() => end(new Error(TIMED_OUT)), timeoutMs + GRACE_MS)
      delegate.export(request as ResourceMetrics, resolve)
      const { error } = await promise
      clearTimeout(timer)
      return { ...(error && { error }), rejected }
    },
    close(): void {
      isClosed = true
      end(new Error(ENDED))
    },
  }
}

/** Compresses here, because the transport does so with the slow default level. */
function createSerializer(
  serializer: Serializer,
  isCompressed: boolean,
  onResponse: (rejected: Rejected | undefined) => void,
): Serializer {
  return {
    serializeRequest(request) {
      const bytes = serializer.serializeRequest(request)
      return isCompressed && bytes !== undefined ? gzipSync(bytes, COMPRESSION) : bytes
    },
    deserializeResponse(bytes) {
      const response = serializer.deserializeResponse(bytes)
      onResponse(response.partialSuccess)
      return response
    },
  }
}

type Serializer = typeof import('@opentelemetry/otlp-transformer')['ProtobufMetricsSerializer']
type ResourceMetrics = Parameters<Serializer['serializeRequest']>[0]

/** Numbers of the enumerations of the package `sdk-metrics`. */
const POINT_TYPES = { histogram: 0, gauge: 2, counter: 3 } as const
const [DOUBLE, CUMULATIVE] = [1, 1]

function metricData({ name, help, unit, type, points }: MetricPoints): object {
  return {
    descriptor: { name, description: help, unit, valueType: DOUBLE },
    dataPointType: POINT_TYPES[type],
    dataPoints: points,
    ...(type !== 'gauge' && { aggregationTemporality: CUMULATIVE }),
    ...(type === 'counter' && { isMonotonic: true }),
  }
}

/** A last repetition may begin shortly before the timeout. */
const GRACE_MS = 500
const ENDED = 'the push was ended'
