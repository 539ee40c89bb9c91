import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { writeProviders } from '../../src/administration/documents.ts'
import { decodeFeed, type FeedReading } from '../../src/api/feed/feed.ts'
import { decodeHistory } from '../../src/api/history/history.ts'
import { parseRetryAfter, refusalOf } from '../../src/api/http/refusals.ts'
import { checkJsonBounds, embeddedList, isPage, parseJson } from '../../src/api/parse/json.ts'
import { decodeAccount, decodeProviders } from '../../src/api/providers/providers.ts'
import { decodeAnswer } from '../../src/api/query/answers/answer.ts'
import { decodeVersions } from '../../src/api/query/requests/version.ts'
import type { PerformanceReading } from '../../src/api/query/values/performance.ts'
import { listNames } from '../../src/api/resources/namespaces.ts'
import { decodeObjects } from '../../src/api/resources/objects.ts'
import { POOL_LISTS } from '../../src/api/resources/pool_list.ts'
import { createReadingBuilder } from '../../src/api/resources/reading.ts'
import type { SendResource } from '../../src/api/resources/requests.ts'
import { readAlertmanagerConfig } from '../../src/commands/doctor/services/alertmanager.ts'
import { parseConfig } from '../../src/config/load.ts'
import { certificateProblem, keyProblem } from '../../src/config/tls.ts'
import { selfSigned } from '../../src/emulator/certificates.ts'
import { silentLog } from '../../src/log.ts'
import { createExposition } from '../../src/metrics/exposition.ts'
import { createRedactor } from '../../src/recording/redactor.ts'
import { createStandIns } from '../../src/recording/stand_ins.ts'
import { createBasicAuth } from '../../src/server/auth/basic_auth.ts'
import { checkRequest, hasExpectedHost, isCrossSite, rawPath } from '../../src/server/auth/request_check.ts'
import { acceptsGzip, chooseFormat } from '../../src/server/metrics/send_exposition.ts'
import { readTarget } from '../../src/server/metrics/targets.ts'
import { withPerformance, withPoll, withPools } from '../../src/state/changes.ts'
import { withResource } from '../../src/state/resources.ts'
import { newSystem, type SystemState } from '../../src/state/state.ts'
import { systemParts } from '../../src/state/store.ts'
import { readSelection } from '../../src/status/selection.ts'
import { createStatusReader } from '../../src/status/status.ts'
import { OBJECT_KINDS, type ObjectKind } from '../../src/system_catalogue.ts'
import { MAX_FILE_BYTES } from '../../src/values/files.ts'
import { responseOf } from '../api/http/responses.ts'
import { ANSWERS, queryFile, readingOf } from '../api/query/query_files.ts'
import { configOf, onlySystem } from '../readings/setup.ts'
import { statusSources } from '../server/status/status_setup.ts'
import { FEED_BODIES, POOL_BODIES, PROVIDERS_JSON, PROVIDERS_XML } from './support/bodies.ts'
import { boundedTime, type Reader } from './support/cpu_time.ts'

const KIB = 1024
/** limits.max_response_bytes */
const RESPONSE = 16 * KIB ** 2
/** Of the body of an error, of which no more is read. */
const ERROR = 16 * KIB
/** Of the headers that Node.js reads. */
const HEADERS = 16 * KIB

const JSON_TOKENS = [
  ...['{"a":', '[1,', '{},', '"a":1,', '"":"",', '\\u0041', '\\"', '[', ']', '}'],
  ...['"¶":1,', '"¶¤":1,', '{"a¤":1},', '{"a":1,"b¤":1,"c¤":"d"},', '"a¤",', '1.5e¤,', '{"¶":[],"a":{}},'],
]
const XML_TOKENS = [
  ...['<¶>', '</¶>', '<¶¤/>', '<a ¶="¶"/>', '<a b¤="">', ' b¤="c"', '<a:¶/>', '¶', '<a b="¶"></a>'],
  '<a>',
  '</a>',
  '<a/>',
  '<!--',
  '<![CDATA[',
  '&lt;',
  '&#1;',
  'a="" ',
  '<?a ',
  ']]>',
  '<!DOCTYPE a [',
]
const YAML_TOKENS = ['- ', 'a: ', '? ', '&a ', '*a ', '&a *a ', "''", '\n ', 'a:\n', '!!a ', '<<: *a\n']
const NODES = [
  '{"id":"n","a":[{"b":"1"}]},',
  '{"id":"n¤","displayName":"¶","nodeCpuUtilizationCurrent":[{"t":"1785312642","Percent":"1"}]},',
  '{"id":"¶¤","displayName":"¶","healthStatus":"s¤","numDisks":"1","numGoodDisks":"-1","apiChange":"x"},',
  '{"id":"n¤"},',
  '{"id":"¶"},',
]
const SNAPSHOT = '{"t":"1785312642","Percent":"1"}'
/** Entries of lists of a node. */
const ENTRIES = [
  `${SNAPSHOT},`,
  '{"t":"¤","Percent":"a¤"},',
  '{"unit":"day","forecast":"1","history":¤,"target":"80"},',
  '{"errorType":"¶¤","category":"User","errorCount":"¤","errorRate":[{"t":"1785312642","Rate":"1"}]},',
]
/** Where lists of a node are repeated, alone and within many nodes. */
const NODE_LISTS = [
  '"nodeCpuUtilizationCurrent":[§null]',
  '"allocatedCapacityForecast":[§null]',
  '"transactionErrorsCurrent":{"types":[§null]}',
  '"nodeCpuUtilization":[§null]',
  '"transactionErrors":{"all":[§null]}',
]
const MANY_NODES = NODE_LISTS.map(
  (list) => `{"id":"n¤",${list.replace('§', ENTRIES.join('').replaceAll('¤', '1'))}},`,
)
/** Nodes with all attributes, as each profile of the emulator serves them. */
const WHOLE_NODES = FEED_BODIES.map((body) => {
  const [node] = embeddedList(parseJson(body), 'list of nodes')
  return `${JSON.stringify({ ...Object(node), id: 'n¤', displayName: 'n¤' })},`
})
const NODE_TEXTS = [
  ...marked(FEED_BODIES, ['instances":[', '"id":"', '"displayName":"', '"numDisks":"', '"t":"']),
  ...NODE_LISTS.map((list) => `{"_embedded":{"instances":[{"id":"n",${list}}]}}`),
]
const { cert, key } = await selfSigned({ names: ['localhost'] })

/** Valid texts with the place where parts are repeated: behind the first of each of these marks. */
function marked(texts: readonly string[], marks: readonly string[]): string[] {
  return marks.flatMap((mark) => {
    const text = texts.find((one) => one.includes(mark))
    if (text === undefined) throw new Error(`no text has ${mark}`)
    return text.replace(mark, () => `${mark}§`)
  })
}

/** The JSON of a body, as a client reads it. */
function jsonOf(text: string): unknown {
  checkJsonBounds(Buffer.from(text), RESPONSE)
  return parseJson(text)
}

/** A request with these parts. */
function requestOf(url: string, headers: IncomingMessage['headers']): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { url, headers })
}

const UUID = 'b17d28fa-7fc3-465e-9f43-281e72a349eb'

function redacted(text: string): unknown {
  const redactor = createRedactor({ keepsNames: false, isSecret: () => false }, createStandIns())
  const outcome = { status: 200, header: () => '', text, at: 0 }
  const request = { operation: 'nodes', method: 'GET', path: '/', query: '', body: undefined } as const
  return redactor.exchange({ ...request, headers: {}, outcome })
}

const RULES = { listenHosts: ['a'], allowedHosts: ['b'] }
const auth = createBasicAuth({
  log: silentLog,
  now: () => 0,
  signal: new AbortController().signal,
  compare: async () => false,
})

const NOW = 1_785_312_642
const PERIOD = { start: NOW - 86_400, end: NOW + 1, interval: 300 }
const FEED = decodeFeed(parseJson(FEED_BODIES[0] ?? ''))
const SYSTEM = withPools({ ...newSystem('a'), maxBytes: RESPONSE }, [{ id: 'p', name: 'p' }])

/** The steps after a response of the feed was decoded, each in a turn of its own but for the first. */
function rendered(feed: FeedReading, reading?: PerformanceReading): () => unknown {
  const polled = withPoll(SYSTEM, 'p', { at: NOW, seconds: 1, failure: undefined }, feed)
  const performance = { reading, receivedAtMs: 0, failure: undefined }
  const state = reading === undefined ? polled : withPerformance(polled, performance)
  return () => pagesOf(state)
}

function pagesOf(state: SystemState): () => unknown {
  const exposition = createExposition(systemParts(state))
  exposition.text('openmetrics')
  return () => {
    const readStatus = createStatusReader({ ...statusSources([state]), ready: () => true })
    readStatus()
  }
}

/** The objects of a kind, and their lines. */
function objectsOf(kind: ObjectKind): Reader {
  const values = kind.columns.flatMap(({ members: [name = ''], tag }): [string, unknown][] =>
    name === '' ? [] : [[name, tag === '' ? '1' : [{ t: String(NOW), [tag]: '1' }]]],
  )
  const entryOf = (name: string) => {
    const names = [...Object.values(kind.labels), ...Object.values(kind.details ?? {}), kind.id ?? 'id']
    const named = names.map((names) => [names.split('|')[0], name])
    return JSON.stringify(Object.fromEntries([...named, ...values]))
  }
  const [list = 'list'] = kind.list ?? []
  return {
    name: `objects: ${kind.name}`,
    bytes: RESPONSE,
    texts:
      kind.list === undefined
        ? [entryOf('§'), '{§"a":1}']
        : [`{"${list}":[§{}]}`, `{"${list}":[${entryOf('§')}]}`],
    tokens: ['n¤', '¶¤', 'n']
      .map((name) => `${entryOf(name)},`)
      .concat('{},', '1,', '"a":1,', '2026-', '%41', `${SNAPSHOT},`),
    read(text) {
      const builder = createReadingBuilder(kind)
      builder.add(decodeObjects(jsonOf(text), kind, { ...builder, now: NOW }))
      return pagesOf(withResource(SYSTEM, kind.name, builder.reading(), NOW))
    },
  }
}

/** The answers to a query, and the lines of the nodes of a feed with their values. */
function answersOf(name: string): Reader {
  const text = queryFile(`${name}.json`)
  const body: { Series: { Columns: string[]; Values: string[][] }[] } = JSON.parse(text)
  const [{ Columns, Values: rows } = { Columns: [], Values: [] }] = body.Series
  const two = (cellOf: (cell: string, column: string) => string) =>
    rows
      .slice(0, 2)
      .map((row) => `${JSON.stringify(row.map((cell, index) => cellOf(cell, Columns[index] ?? '')))},`)
      .join('')
  const given = ['table', '_start', '_stop', '_time', '_value', '_field', '_measurement']
  const isNode = (column: string) => column === 'host' || column === 'node_id'
  return {
    name: `answer: ${name}`,
    bytes: RESPONSE,
    texts: marked(
      [text.replaceAll(/\s*\n\s*/g, '')],
      ['"Values":[', '"Values":[["', '"Columns":[', '"Series":['],
    ),
    tokens: [
      two((cell, column) => (isNode(column) ? 'n¤' : cell)),
      two((cell, column) => (isNode(column) ? '¶¤' : cell)),
      two((cell, column) => (isNode(column) || given.includes(column) ? cell : 't¤')),
      two((cell, column) => (column === '_value' ? '¤' : cell)),
      two((cell, column) => (column === '_time' ? '2026-07-31T08:31:56.¤Z' : cell)),
      two((cell, column) => (column === '_field' || column === '_measurement' ? 'f¤' : cell)),
      '"a",',
      '[],',
      `${JSON.stringify(body.Series[0])},`,
    ],
    read(text) {
      const answer = decodeAnswer(jsonOf(text), { name: 'a', tags: [] })
      return () => rendered(FEED, readingOf([answer]))
    },
  }
}

/** What the reader of lists does not use. */
const UNUSED = {
  resources: onlySystem(configOf()).resources,
  refusals: { run: <T>(_: string, task: () => Promise<T>) => task() },
  query: () => Promise.reject(new Error('not used')),
  known: () => undefined,
  openDataPorts: () => {
    throw new Error('not used')
  },
  pause: () => Promise.resolve(),
  now: () => 0,
  spreadMs: 0,
}

/** Everything that reads text from outside. */
const READERS: readonly Reader[] = [
  {
    name: 'JSON',
    bytes: RESPONSE,
    texts: ['§', '["§"]', '{"a":[§{}]}', '{"§":1}', ...FEED_BODIES.slice(0, 1).map((body) => `${body}§`)],
    tokens: JSON_TOKENS,
    read: jsonOf,
  },
  {
    name: 'dashboard API',
    bytes: RESPONSE,
    texts: NODE_TEXTS,
    tokens: [...NODES, ...ENTRIES, ...MANY_NODES, ...WHOLE_NODES, '{},', '1,'],
    read: (text) => rendered(decodeFeed(jsonOf(text))),
  },
  {
    name: 'history',
    bytes: RESPONSE,
    texts: NODE_TEXTS,
    tokens: [...NODES, ...ENTRIES, ...MANY_NODES, ...WHOLE_NODES, '{},', '1,'],
    read: (text) => decodeHistory(jsonOf(text), { period: PERIOD, respondedAt: NOW }),
  },
  ...POOL_LISTS.map(
    ({ path, decode }): Reader => ({
      name: path,
      bytes: RESPONSE,
      texts: marked(POOL_BODIES, ['"varray":[', 'instances":[', '"nodes":{"href":"', '"id":"', '"name":"']),
      tokens: [...NODES, '{},', '1,', '{"id":"p¤","name":"¶"},', '/..', '%41', '/nodes'],
      read: (text) => decode(jsonOf(text), { baseUrl: 'https://host:4443', now: 0 }),
    }),
  ),
  ...ANSWERS.map(answersOf),
  {
    name: 'versions',
    bytes: RESPONSE,
    texts: ['{"node":[§{}]}', '{"node":[{"version":"§"}]}'],
    tokens: ['{"version":"1"},', '3.8.'],
    read: (text) => decodeVersions(jsonOf(text)),
  },
  {
    name: 'providers',
    bytes: RESPONSE,
    texts: [
      '§',
      ...marked([PROVIDERS_JSON, PROVIDERS_XML], ['provider":[', '<authnproviders>', '<name>', '"name":"']),
    ],
    tokens: [...XML_TOKENS, '<authnprovider><id>a</id></authnprovider>', '{"id":"a"},'],
    read(text) {
      const providers = decodeProviders(text)
      return () => {
        for (const format of ['xml', 'json'] as const) writeProviders(providers, format)
        return pagesOf(SYSTEM)
      }
    },
  },
  {
    name: 'user of a token',
    bytes: RESPONSE,
    texts: [
      '§',
      '<user><common_name>§</common_name></user>',
      '<user><roles>§</roles></user>',
      '{"roles":[§"a"]}',
    ],
    tokens: [...XML_TOKENS, '<role>', '<roles ', '<role>a</role>', '<common_name>', '"a",'],
    read: decodeAccount,
  },
  {
    name: 'markup',
    bytes: RESPONSE,
    texts: ['§', '<!doctype §', '<?xml §'],
    tokens: XML_TOKENS,
    read: (text) => isPage(text),
  },
  {
    name: 'body of an error',
    bytes: ERROR,
    texts: ['§', '<error><details>§</details></error>', '<error>§</error>', '{"code":1,"details":"§"}'],
    tokens: [...XML_TOKENS, '<details>', '<code>', '<details>a</details>'],
    read: (text) =>
      (['login', 'deletion', 'query'] as const).map((of) => refusalOf(responseOf(401, text), of)),
  },
  {
    name: 'certificates',
    bytes: MAX_FILE_BYTES.pem,
    texts: ['§', `${cert}§`, '-----BEGIN CERTIFICATE-----\n§'],
    tokens: [
      '-----BEGIN CERTIFICATE-----\n',
      '-----BEGIN TRUSTED CERTIFICATE-----\n',
      '-----END CERTIFICATE-----\n',
      'A=\n',
      cert,
    ],
    read: certificateProblem,
  },
  {
    name: 'key',
    bytes: MAX_FILE_BYTES.pem,
    texts: ['§', `${key}§`],
    tokens: ['-----BEGIN PRIVATE KEY-----\n', 'A=\n'],
    read: keyProblem,
  },
  {
    name: 'URL of a request',
    bytes: HEADERS,
    texts: ['§', '/§', '/probe?§', '/probe?system=§', '/probe?system=a&pool=§'],
    tokens: ['/', '../', '%41', '%', 'a=1&', 'system=a&', '&', '+', '?'],
    read(text) {
      const query = text.slice(text.indexOf('?') + 1)
      const request = requestOf(text, {})
      const accepted = { urlBytes: HEADERS, acceptsBodies: false }
      readTarget(query, [{ name: 'a' }], { system: '', pool: '' })
      return [rawPath(request), checkRequest(request, accepted), readSelection(new URLSearchParams(query))]
    },
  },
  {
    name: 'Host and Origin',
    bytes: HEADERS,
    texts: ['§', 'b§', 'a:§', '[§]', 'http://§'],
    tokens: ['a.', ':1', '[::1]', '::', ':', 'http://'],
    read(text) {
      const request = requestOf('/', { host: text, origin: text })
      return [hasExpectedHost(request, RULES), isCrossSite(request, RULES)]
    },
  },
  {
    name: 'Accept and Accept-Encoding',
    bytes: HEADERS,
    texts: ['§', 'application/openmetrics-text;version=1.0.0;q=0.5,§', 'gzip;q=§'],
    tokens: ['*/*,', 'a/b;', 'q=0.1;', 'gzip,', 'application/openmetrics-text;', '="",'],
    read: (text) => [chooseFormat(text), acceptsGzip(text)],
  },
  {
    name: 'Authorization',
    bytes: HEADERS,
    texts: ['§', 'Basic §', 'Basic bW9uaXRvcjplbXVsYXRvcg==§'],
    tokens: ['Basic ', 'bW9uaXRvcjpl', '=='],
    read: (text) => auth.check(text, '192.0.2.1', new Map()),
  },
  {
    name: 'Retry-After',
    bytes: HEADERS,
    texts: ['§', '120§', 'Wed, 21 Oct 2026 07:28:00 GMT§'],
    tokens: ['1', 'Wed, '],
    read: (text) => parseRetryAfter(text),
  },
  ...Object.values(OBJECT_KINDS)
    .filter(({ measurement }) => measurement === undefined)
    .map(objectsOf),
  {
    name: 'list of names',
    bytes: RESPONSE,
    texts: ['{"namespace":[§{}]}', '{"namespace":[{"name":"§"}]}', '{"namespaces":{"namespace":[§{}]}}'],
    tokens: ['{"name":"n¤"},', '{"id":"¶¤"},', '{},', '1,', '{"name":"n","blockSize":"¤"},'],
    read: (text) => {
      const builder = createReadingBuilder(OBJECT_KINDS.quota)
      const kind = { ...OBJECT_KINDS.quota, list: ['namespace', 'namespaces'] }
      const send: SendResource = async (_, decode) => decode(jsonOf(text), { baseUrl: 'https://a', now: NOW })
      const context = { ...UNUSED, send, builder, signal: new AbortController().signal }
      return listNames(context, { request: { operation: 'quotas', path: '/' }, kind })
    },
  },
  {
    name: 'response that is recorded',
    bytes: RESPONSE,
    texts: ['{"name":"§"}', '{"§":1}', '{"details":"urn:§"}', '<error><details>§</details></error>'],
    tokens: ['urn:', ' : ', 'a.', 'a@', '%41', '&amp;', '(404) ', '1.2.3.4', UUID, ...XML_TOKENS],
    read: (text) => redacted(text),
  },
  {
    // 256 KiB are allowed, of which some texts take a second.
    name: 'configuration file',
    bytes: 64 * KIB,
    texts: ['§', 'systems:\n§', 'tls_server_config: {§}'],
    tokens: ['k¤: 1\n', '{k¤: 1},', '- &a¤ 1\n', '"', ...YAML_TOKENS],
    read: (text) => parseConfig(text, { file: 'test.yml', environment: {} }),
  },
  {
    name: 'configuration of Alertmanager',
    // Each k becomes 16 keys. Only the command doctor reads it, from the Alertmanager of the operator.
    bytes: KIB,
    texts: ['§'],
    tokens: ['k', ...YAML_TOKENS],
    read(text) {
      let count = 0
      // All are different.
      const keys = () => Array.from({ length: 16 }, () => `k${count++}: 1\n`).join('')
      return readAlertmanagerConfig(text.replaceAll('k', keys))
    },
  },
]
for (const reader of READERS) boundedTime(reader)
