import { gzipSync } from 'node:zlib'
import { pause } from '../clients.ts'
import {
  type Answer,
  type Answers,
  gzipAnswer,
  type HostileSystem,
  jsonAnswer,
  poolList,
} from '../hostile_system.ts'
import type { Row } from '../row.ts'

interface HostileAnswers {
  readonly name: string
  readonly sent: string
  readonly answers: (hostile: HostileSystem) => Partial<Answers>
}

const SECONDS = 8
const XML_ATTRIBUTES = 200_000
const XML_CHARACTERS = 2_900_000
const CHUNK = Buffer.alloc(65_536, ' ')

/** An answer without an end, as fast as it is read. */
const endless: Answer = (_request, response) => {
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
const drip: Answer = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders()
  const timer = setInterval(() => response.write(' '), 100)
  response.once('close', () => clearInterval(timer))
}

const BOMB_MEMBERS = 160

/** Members of 64 MiB of blanks each; a gzip stream may have any number of members. */
function bomb(): Answer {
  const member = gzipSync(Buffer.alloc(67_108_864, ' '))
  const body = Buffer.concat(Array.from({ length: BOMB_MEMBERS }, () => member))
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }
  return (_request, response) => void response.writeHead(200, headers).end(body)
}

/** Pools with other ids at each listing. */
function churn(count: number): Answer {
  let listings = 0
  return (request, response) => {
    listings += 1
    jsonAnswer(poolList(count, `pool-${listings}`))(request, response)
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

const ANSWERS: readonly HostileAnswers[] = [
  { name: 'endless', sent: 'a body without an end', answers: () => ({ nodes: endless }) },
  { name: 'drip', sent: 'a body of one byte every 100 ms', answers: () => ({ nodes: drip }) },
  { name: 'gzip-bomb', sent: '10 GiB of blanks, compressed to 10 MB', answers: () => ({ nodes: bomb() }) },
  {
    name: 'xml-attributes',
    sent: `a list of providers with ${XML_ATTRIBUTES.toLocaleString('en')} attributes of one element`,
    answers: () => ({ providers: gzipAnswer(xmlAttributes(), 'application/xml') }),
  },
  {
    name: 'xml-nesting',
    sent: 'a list of providers with elements nested as deep as fits',
    answers: () => ({ providers: gzipAnswer(xmlNesting(), 'application/xml') }),
  },
  {
    name: 'many-pools',
    sent: 'a list of 10,000 pools',
    answers: () => ({ pools: jsonAnswer(poolList(10_000, 'pool')) }),
  },
  { name: 'pool-churn', sent: '900 other pools at each listing', answers: () => ({ pools: churn(900) }) },
]

/** One of two systems answers so; polls come every second, lists every two seconds. */
export const HOSTILE_ANSWERS: readonly Row[] = ANSWERS.map(({ name, sent, answers }) => ({
  name,
  sent,
  setup: { hostile: true, pollSeconds: 1 },
  seconds: SECONDS,
  async attack(target, signal) {
    const hostile = target.hostile()
    hostile.use(answers(hostile))
    await pause(SECONDS * 1000, signal)
    return undefined
  },
}))
