import { resolve } from 'node:path'
import { z } from 'zod'
import type { ReadText } from '../values/files.ts'
import { headerProblem, headersFromText } from '../values/headers.ts'
import { Secret } from '../values/secret.ts'
import { MAX_TIMER_MS } from '../values/timers.ts'
import { merged, valueAt } from './inheritance.ts'
import { fileReader, path, tlsSchema } from './tls.ts'
import { typeMessage } from './values/schema_problems.ts'
import { duration, oneOf } from './values/units.ts'
import { httpUrl } from './values/urls.ts'
import type { Environment } from './values/variables.ts'

/** Where metrics are pushed, and how. */
export type OtlpConfig = NonNullable<z.output<ReturnType<typeof otlpSection>>>

const METRICS_PATH = '/v1/metrics'
const LEAST_MS = 1000
const isTimer = (ms: number) => ms >= LEAST_MS && ms <= MAX_TIMER_MS
const timer = duration.refine(isTimer, 'must be from 1s to 24d')

const headers = z
  .record(
    z.string(),
    z.string('write it in quotes: expected text'),
    typeMessage('expected names and values of headers'),
  )
  .superRefine((all, context) => {
    for (const [name, value] of Object.entries(all)) {
      const problem = headerProblem(name, value)
      if (problem !== undefined) context.addIssue({ code: 'custom', path: [name], message: problem })
    }
  })
  .transform((all) =>
    Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name.toLowerCase(), new Secret(value.trim())]),
    ),
  )

const attributes = z.record(
  z.string().min(1, 'must have a name'),
  z.string('expected text; put numbers and true or false in quotes'),
  typeMessage('expected names and values of attributes'),
)

/** The section `otlp`, whose keys have defaults in the environment. Off without an endpoint. */
export function otlpSection(folder: string, read: ReadText, environment: Environment) {
  const url = httpUrl('set them in headers')
  const section = z.strictObject({
    /** With or without the path of metrics. */
    endpoint: z.preprocess((value) => (value === '' ? undefined : value), url.optional()),
    headers: headers.prefault({}),
    headers_file: path.transform(fileReader(folder, read)(headersFromText, 'secret')),
    tls_config: tlsSchema(folder, read, 'pem').prefault({}),
    interval: timer.prefault('1m'),
    timeout: timer.prefault('10s'),
    compression: oneOf(['gzip', 'none']).prefault('gzip'),
    resource_attributes: attributes.prefault({}),
    protocol: oneOf(['http/protobuf']).prefault('http/protobuf'),
  })
  return z
    .preprocess((data) => withVariables(data, environment), section)
    .transform(
      ({ endpoint, headers_file, tls_config, interval, timeout, resource_attributes, ...others }) => {
        if (endpoint === undefined) return undefined
        const { headers, compression } = others
        return {
          url: requestUrl(endpoint, environment),
          headers,
          headersFile: headers_file?.file,
          tls: tls_config,
          intervalMs: interval,
          timeoutMs: timeout,
          isCompressed: compression === 'gzip',
          resourceAttributes: resource_attributes,
        }
      },
    )
}

/** The endpoint of metrics in the environment is used as it is; others are base URLs. */
function requestUrl(endpoint: string, environment: Environment): string {
  const isWhole = endpoint === environment[`${PREFIX}METRICS_ENDPOINT`]?.trim().replace(/\/+$/, '')
  return isWhole || endpoint.endsWith(METRICS_PATH) ? endpoint : `${endpoint}${METRICS_PATH}`
}

const PREFIX = 'OTEL_EXPORTER_OTLP_'
const CONVERSIONS = {
  ENDPOINT: [['endpoint'], String],
  HEADERS: [['headers'], pairs],
  TIMEOUT: [['timeout'], (text: string) => (/^\d+$/.test(text) ? `${text}ms` : text)],
  COMPRESSION: [['compression'], String],
  PROTOCOL: [['protocol'], String],
  CERTIFICATE: [['tls_config', 'ca_file'], (text: string) => resolve(text)],
  CLIENT_CERTIFICATE: [['tls_config', 'cert_file'], (text: string) => resolve(text)],
  CLIENT_KEY: [['tls_config', 'key_file'], (text: string) => resolve(text)],
} as const satisfies Record<string, Conversion>
type Conversion = readonly [path: readonly string[], convert: (text: string) => unknown]

/** The variables of the OpenTelemetry specification. Of two for a key, the later one counts more. */
const VARIABLES: readonly (readonly [name: string, ...Conversion])[] = [
  ['OTEL_RESOURCE_ATTRIBUTES', ['resource_attributes'], pairs],
  ['OTEL_SERVICE_NAME', ['resource_attributes', 'service.name'], String],
  ...['', 'METRICS_'].flatMap((signal) =>
    Object.entries(CONVERSIONS).map(
      ([suffix, [path, convert]]) => [`${PREFIX}${signal}${suffix}`, path, convert] as const,
    ),
  ),
]

/** `a=b,c=d`, percent-encoded. Another text is returned as it is, which the schema refuses. */
function pairs(text: string): unknown {
  const entries = text.split(',').filter((pair) => pair.trim() !== '')
  try {
    return Object.fromEntries(
      entries.map((pair) => {
        const equals = pair.indexOf('=')
        if (equals < 1) throw new URIError('it has no name')
        const parts = [pair.slice(0, equals), pair.slice(equals + 1)]
        return parts.map((part) => decodeURIComponent(part.trim()))
      }),
    )
  } catch {
    return text
  }
}

/** The section with the values of variables where it has none. */
function withVariables(data: unknown, environment: Environment): unknown {
  const defaults = setVariables(environment).reduce<unknown>(
    (section, { path, value }) => merged(nested(path, value), section),
    undefined,
  )
  return merged(data, defaults)
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight((inner, key) => ({ [key]: inner }), value)

/** An empty variable is one that is not set. */
function setVariables(environment: Environment) {
  return VARIABLES.flatMap(([name, path, convert]) => {
    const text = environment[name]?.trim() ?? ''
    return text === '' ? [] : [{ name, path, value: convert(text) }]
  })
}

/** What the message of a problem says in addition if the value is that of a variable. @param path such as `otlp.timeout` */
export function variableNote(path: string, file: unknown, environment: Environment): string {
  const keys = path.split('.')
  const isOf = (variable: readonly string[]) => `${path}.`.startsWith(`otlp.${variable.join('.')}.`)
  const last = setVariables(environment).findLast((variable) => isOf(variable.path))
  return last === undefined || valueAt(file, keys) !== undefined ? '' : ` (environment variable ${last.name})`
}
