import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import {
  BODY_BYTES,
  gzipResponse,
  jsonResponse,
  poolList,
  type Responder,
  type Responders,
} from '../hostile_system.ts'
import type { Row } from '../row.ts'

interface HostileAnswers {
  readonly name: string
  readonly sent: string
  readonly answers: () => Partial<Responders>
}

const XML_ATTRIBUTES = 200_000
const XML_CHARACTERS = 2_900_000
const CHUNK = Buffer.alloc(65_536, ' ')

/** An answer without an end, as fast as it is read. */
const endless: Responder = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  const fill = () => {
    while (!response.destroyed && response.write(CHUNK)) {
      // Until the buffer is full.
    }
  }
  response.on('drain', fill)
  fill()
}

/** One byte every 100 ms. */
const drip: Responder = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders()
  const timer = setInterval(() => response.write(' '), 100)
  response.once('close', () => clearInterval(timer))
}

const BOMB_MEMBERS = 160
/** A body of more values is refused before it is decoded. */
const BYTES_PER_VALUE = 32

/** Members of 64 MiB of blanks each; a gzip stream may have any number of members. */
function bomb(): Responder {
  const member = gzipSync(Buffer.alloc(67_108_864, ' '))
  const body = Buffer.concat(Array.from({ length: BOMB_MEMBERS }, () => member))
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
  return (_request, response) => void response.writeHead(200, headers).end(body)
}

/** Responders with each of these, one after the other. */
function inTurn(answers: readonly Responder[]): Responder {
  let requests = 0
  return (request, response) => {
    requests += 1
    answers[requests % answers.length]?.(request, response)
  }
}

/** Pools with other ids at each listing. */
function churn(count: number): Responder {
  let listings = 0
  return (request, response) => {
    listings += 1
    jsonResponse(poolList(count, `pool-${listings}`))(request, response)
  }
}

function xmlAttributes(): string {
  const attributes = Array.from({ length: XML_ATTRIBUTES }, (_, index) => `a${index}=""`)
  return `<authnproviders ${attributes.join(' ')}/>`
}

function xmlNesting(): string {
  const depth = Math.floor(XML_CHARACTERS / '<a></a>'.length)
  return `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`
}

const COLUMNS = 100_000
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-01T23:59:00Z'] as const
const NAMES = '_start _stop _time _value _field _measurement host node_id id code interface le'.split(' ')

/** An answer of the Flux API. */
function queryAnswer(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return JSON.stringify({ Series: [{ Datatypes: [], Columns: columns, Values: rows }] })
}

/** One row with many columns. */
function manyColumns(): string {
  const more = Array.from({ length: COLUMNS - NAMES.length }, (_, index) => `c${index}`)
  return queryAnswer([...NAMES, ...more], [Array.from({ length: COLUMNS }, () => '1')])
}

/** As many rows as a body may have values, each of another series. */
function manySeries(name: string): string {
  const count = Math.floor(BODY_BYTES / (BYTES_PER_VALUE * (NAMES.length + 2)))
  const rows = Array.from({ length: count }, (_, index) => {
    const node = `n${index % 2 === 0 ? index : 1}`
    return [...TIMES, '1', 'used', 'mem', node, node, 'a', 'b', `${name}${index}`, '1']
  })
  return queryAnswer(NAMES, rows)
}

const HEADERS = 60_000
const LINES = Buffer.from('a:\r\n'.repeat(HEADERS))
const OK = 'HTTP/1.1 200 OK\r\n'
const EARLY_HINTS = Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000))

/** Bytes without HTTP of Node.js, which would refuse to send them, for all lists and polls. */
function raw(head: string, rest: Buffer, isEndless = false): Partial<Responders> {
  const answer: Responder = ({ socket }) => {
    const fill = () => {
      while (!socket.destroyed && socket.write(rest) && isEndless) {
        // Until the buffer is full.
      }
    }
    if (isEndless) socket.on('drain', fill)
    socket.write(head)
    fill()
  }
  return { pools: answer, nodes: answer, providers: answer }
}

/** A response of the dashboard API as long as fits, of elements that are made from their index. */
function feed(element: (index: number) => string, begin = '', end = ''): Partial<Responders> {
  const parts: string[] = []
  for (let [index, left] = [0, BODY_BYTES]; left > 0; index += 1) {
    const part = element(index)
    parts.push(part)
    left -= part.length + 1
  }
  const text = `{"_embedded":{"instances":[${begin}${parts.slice(0, -10).join(',')}${end}]}}`
  return { nodes: gzipResponse(text) }
}

const ANSWERS: readonly HostileAnswers[] = [
  { name: 'endless', sent: 'a body without an end', answers: () => ({ nodes: endless }) },
  { name: 'drip', sent: 'a body of one byte every 100 ms', answers: () => ({ nodes: drip }) },
  { name: 'gzip-bomb', sent: '10 GiB of blanks, compressed to 10 MB', answers: () => ({ nodes: bomb() }) },
  {
    name: 'xml-attributes',
    sent: `a list of providers with ${XML_ATTRIBUTES.toLocaleString('en')} attributes of one element`,
    answers: () => ({ providers: gzipResponse(xmlAttributes(), 'application/xml') }),
  },
  {
    name: 'xml-nesting',
    sent: 'a list of providers with elements nested as deep as fits',
    answers: () => ({ providers: gzipResponse(xmlNesting(), 'application/xml') }),
  },
  {
    name: 'body-blanks',
    sent: 'feeds of blanks',
    answers: () => ({ nodes: gzipResponse(' '.repeat(BODY_BYTES)) }),
  },
  {
    name: 'body-many-keys',
    sent: 'feeds of one node with as many members as fit',
    answers: () => feed((index) => `"k${index}":1`, '{', '}'),
  },
  {
    name: 'body-many-nodes',
    sent: 'feeds of as many nodes as fit',
    answers: () => feed((index) => `{"id":"n${index}"}`),
  },
  {
    name: 'body-long-names',
    sent: 'feeds of nodes with names of 3,000 characters',
    answers: () => feed((index) => `{"id":"n${index}","displayName":"${index}${'ü'.repeat(3000)}"}`),
  },
  {
    name: 'many-pools',
    sent: 'a list of 10,000 pools',
    answers: () => ({ pools: jsonResponse(poolList(10_000, 'pool')) }),
  },
  {
    name: 'query-columns',
    sent: `an answer of the Flux API with ${COLUMNS.toLocaleString('en')} columns`,
    answers: () => ({ query: gzipResponse(manyColumns()) }),
  },
  {
    name: 'query-series',
    sent: 'answers of the Flux API with as many series and nodes as fit',
    answers: () => ({
      query: inTurn(['a', 'b', 'c', 'd', 'e'].map((name) => gzipResponse(manySeries(name)))),
    }),
  },
  {
    name: 'header-flood',
    sent: `${HEADERS.toLocaleString('en')} headers`,
    answers: () => raw(OK, LINES),
  },
  {
    name: 'trailer-flood',
    sent: `${HEADERS.toLocaleString('en')} trailers`,
    answers: () => raw(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`, LINES),
  },
  {
    name: 'informational-flood',
    sent: 'informational answers (103) without an end',
    answers: () => raw('', EARLY_HINTS, true),
  },
  { name: 'pool-churn', sent: '900 other pools at each listing', answers: () => ({ pools: churn(900) }) },
]

/** One of two systems answers so. */
export const HOSTILE_ANSWERS: readonly Row[] = ANSWERS.map(({ name, sent, answers }) => ({
  name,
  sent,
  setup: { hostile: true },
  untilFlat: true,
  async attack(target, signal) {
    target.hostile().use(answers())
    await once(signal, 'abort')
    return undefined
  },
}))
