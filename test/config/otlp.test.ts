import { expect, test } from 'vitest'
import { sameConfig } from '../../src/config/config.ts'
import { parseConfig } from '../../src/config/load.ts'
import { ConfigError } from '../../src/config/values/problems.ts'
import { temporaryFolder } from '../support/folders.ts'

const SYSTEM = 'systems: [{name: a, base_url: "https://a:4443", auth: {token: abc}}]\n'
const FILE = '/nowhere/config.yml'

type Variables = Readonly<Record<string, string>>

const otlpOf = (section: string, environment: Variables = {}, file = FILE) =>
  parseConfig(`${SYSTEM}${section}`, { file, environment }).otlp

function problemsOf(section: string, environment: Variables = {}, file = FILE): string[] {
  try {
    otlpOf(section, environment, file)
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure
    return failure.problems.map(({ path, message }) => `${path}: ${message}`)
  }
  return []
}

function revealed(headers: NonNullable<ReturnType<typeof otlpOf>>['headers'] | undefined) {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, secret]) => [name, secret.reveal()]))
}

test('metrics are not pushed without an endpoint', () => {
  expect(otlpOf('')).toBeUndefined()
  expect(otlpOf('otlp: {endpoint: "", headers: {a: b}, interval: 5m}')).toBeUndefined()
  expect(otlpOf('', { OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })).toBeUndefined()
})

test('an endpoint is enough', () => {
  expect(otlpOf('otlp: {endpoint: "http://collector:4318"}')).toEqual({
    url: 'http://collector:4318/v1/metrics',
    headers: {},
    headersFile: undefined,
    tls: { insecureSkipVerify: false },
    intervalMs: 60_000,
    timeoutMs: 10_000,
    isCompressed: true,
    resourceAttributes: {},
  })
})

test('every key is used', () => {
  using folder = temporaryFolder()
  folder.write('headers', '\uFEFFX-Scope: tenant\r\n\nAuthorization:  Bearer geheim \n')
  const section = `otlp:
  endpoint: https://otlp.example.net/otlp/
  headers: {Authorization: "Basic \${PASSWORD}"}
  headers_file: headers
  tls_config: {server_name: receiver, insecure_skip_verify: true}
  interval: 30s
  timeout: 5s
  compression: none
  resource_attributes: {service.instance.id: one}
  protocol: http/protobuf
`
  const otlp = otlpOf(section, { PASSWORD: 'abc' }, `${folder.path}/config.yml`)
  expect(otlp).toMatchObject({
    url: 'https://otlp.example.net/otlp/v1/metrics',
    headersFile: `${folder.path}/headers`,
    tls: { serverName: 'receiver', insecureSkipVerify: true },
    intervalMs: 30_000,
    timeoutMs: 5000,
    isCompressed: false,
    resourceAttributes: { 'service.instance.id': 'one' },
  })
  expect(revealed(otlp?.headers)).toEqual({ authorization: 'Basic abc' })
  expect(JSON.stringify(otlp)).not.toContain('abc')
})

test.each<[Variables, string]>([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, 'http://c:4318/v1/metrics'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/base/' }, 'http://c:4318/base/v1/metrics'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/v1/metrics' }, 'http://c:4318/v1/metrics'],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://c/own/' }, 'http://c/own'],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: ' http://c:4318 ' }, 'http://c:4318'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://b/x' },
    'http://b/x',
  ],
])('the endpoint of %j', (environment, url) => {
  expect(otlpOf('', environment)?.url).toBe(url)
  expect(otlpOf('otlp: {endpoint: "http://own"}', environment)?.url).toBe('http://own/v1/metrics')
  expect(otlpOf('otlp: {endpoint: ""}', environment)).toBeUndefined()
})

test('variables are the defaults of keys, those for metrics before the others', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc, x-one=1',
    OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x-one=2,x-two=a=b',
    OTEL_EXPORTER_OTLP_TIMEOUT: '20000',
    OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '3000',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'none',
    OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: '',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=x,team=storage',
    OTEL_SERVICE_NAME: 'sds',
  }
  const otlp = otlpOf('otlp: {headers: {X-Two: own}, resource_attributes: {site: fra}}', environment)
  expect(otlp).toMatchObject({ timeoutMs: 3000, isCompressed: false })
  expect(revealed(otlp?.headers)).toEqual({ authorization: 'Basic abc', 'x-one': '2', 'x-two': 'own' })
  expect(otlp?.resourceAttributes).toEqual({ 'service.name': 'sds', team: 'storage', site: 'fra' })
  expect(otlpOf('otlp: {timeout: 1s, compression: gzip}', environment)).toMatchObject({
    timeoutMs: 1000,
    isCompressed: true,
  })
})

test('a certificate of a variable is checked like that of a key', () => {
  using folder = temporaryFolder()
  const ca = folder.write('ca.pem', 'nothing')
  const environment = { OTEL_EXPORTER_OTLP_CERTIFICATE: ca }
  expect(problemsOf('otlp: {endpoint: "http://c"}', environment)).toEqual([
    `otlp.tls_config.ca_file: ${ca} contains no certificate (PEM expected) (environment variable OTEL_EXPORTER_OTLP_CERTIFICATE)`,
  ])
})

test.each<[string, Variables, string]>([
  ['{endpoint: collector}', {}, 'otlp.endpoint: not a URL: write https://collector'],
  [
    '{endpoint: "https://a:geheim@b"}',
    {},
    'otlp.endpoint: must not contain a user or password: set them in headers',
  ],
  ['{headers: {"a b": c}}', {}, 'otlp.headers.…: is not the name of an HTTP header'],
  [
    '{headers: {a: "geheim\\nb: c"}}',
    {},
    'otlp.headers.a: is empty or has characters that are not allowed in an HTTP header',
  ],
  ['{headers: {Content-Type: text/plain}}', {}, 'otlp.headers.Content-Type: is set by the exporter'],
  ['{headers: geheim}', {}, 'otlp.headers: expected names and values of headers'],
  ['{headers: {a: 1}}', {}, 'otlp.headers.a: write it in quotes: expected text'],
  ['{headers_file: none}', {}, 'otlp.headers_file: none cannot be read: no such file'],
  ['{interval: 1ms}', {}, 'otlp.interval: must be from 1s to 24d'],
  ['{timeout: 25d}', {}, 'otlp.timeout: must be from 1s to 24d'],
  ['{protocol: grpc}', {}, 'otlp.protocol: expected one of http/protobuf'],
  ['{compression: zstd}', {}, 'otlp.compression: expected one of gzip, none'],
  ['{url: "http://a"}', {}, 'otlp.url: unknown key'],
  [
    '{}',
    { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: '' },
    'otlp.protocol: expected one of http/protobuf (environment variable OTEL_EXPORTER_OTLP_PROTOCOL)',
  ],
  [
    '{}',
    { OTEL_EXPORTER_OTLP_HEADERS: 'geheim' },
    'otlp.headers: expected names and values of headers (environment variable OTEL_EXPORTER_OTLP_HEADERS)',
  ],
  [
    '{}',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'c:4318' },
    'otlp.endpoint: must begin with https:// or http://: write https://c:4318 (environment variable OTEL_EXPORTER_OTLP_METRICS_ENDPOINT)',
  ],
])('the section %s with %j is an error', (section, environment, problem) => {
  expect(problemsOf(`otlp: ${section}`, environment)).toEqual([problem])
})

test.each([
  ['', 'has no header'],
  ['geheim', 'line 1 is not of the form Name: value'],
  ['a: b\nb:', 'line 2 is empty or has characters that are not allowed in an HTTP header'],
])('a file of headers with %j is an error', (text, problem) => {
  using folder = temporaryFolder()
  folder.write('headers', text)
  const section = 'otlp: {endpoint: "http://c", headers_file: headers}'
  expect(problemsOf(section, {}, `${folder.path}/config.yml`)).toEqual([
    `otlp.headers_file: headers ${problem}`,
  ])
})

test('another header is another configuration', () => {
  const withToken = (token: string) => otlpOf(`otlp: {endpoint: "http://c", headers: {a: ${token}}}`)
  expect(sameConfig(withToken('one'), withToken('one'))).toBe(true)
  expect(sameConfig(withToken('one'), withToken('two'))).toBe(false)
})
