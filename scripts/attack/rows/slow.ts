import type { Socket } from 'node:net'
import { ATTACKER, attackerAddress, keepOpen, open, pause, requestText } from '../clients.ts'
import type { Findings, Row, Target } from '../row.ts'

/** The default limit of connections of a listener. */
const CONNECTIONS = 512
const READ_BYTES = 4096
const READ_MS = 20_000

/** Requests a page and reads 4 kB of it every 20 s. */
function slowReader(url: string, from = ATTACKER, path = '/metrics'): Socket {
  const socket = open(url, from).pause()
  socket.write(requestText(url, 'GET', path))
  const timer = setInterval(() => socket.read(READ_BYTES), READ_MS)
  return socket.once('close', () => clearInterval(timer))
}

type Connection = (url: string, index: number) => Socket

/** Keeps as many connections open as the listener accepts. */
function fill(connection: Connection, count = CONNECTIONS): Row['attack'] {
  return async ({ url }, signal) => {
    await keepOpen(count, signal, (index) => connection(url, index))
    return undefined
  }
}

const PER_SECOND = 12
const CHURN_SECONDS = 20

/** Readers that start in different seconds hold different pages. */
async function churn({ url }: Target, signal: AbortSignal): Promise<undefined> {
  const readers: Socket[] = []
  while (!signal.aborted) {
    for (let count = 0; count < PER_SECOND; count += 1) readers.push(slowReader(url))
    await pause(1000, signal)
  }
  for (const reader of readers) reader.destroy()
}

/** Sends a header byte by byte. */
function slowRequest(url: string): Socket {
  const socket = open(url)
  socket.resume()
  socket.write(`GET /metrics HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-Slow: `)
  const timer = setInterval(() => socket.write('x'), 1000)
  return socket.once('close', () => clearInterval(timer))
}

const BODY_CONNECTIONS = 480
const CHUNK_MS = 100

/** Sends a body in chunks of one byte. */
function slowBody(url: string): Socket {
  const socket = open(url)
  socket.resume()
  socket.write(`POST /-/reload HTTP/1.1\r\nHost: ${new URL(url).host}\r\nTransfer-Encoding: chunked\r\n\r\n`)
  const timer = setInterval(() => socket.write('1\r\nx\r\n'), CHUNK_MS)
  return socket.once('close', () => clearInterval(timer))
}

const CHURN_CONNECTIONS = 20_000
const CHURN_PARALLEL = 200

/** Opens connections and closes each as soon as it is open. */
async function openAndClose({ url }: Target, signal: AbortSignal): Promise<Findings> {
  let left = CHURN_CONNECTIONS
  const loop = async () => {
    while (left > 0 && !signal.aborted) {
      left -= 1
      const socket = open(url)
      socket.once('connect', () => socket.end())
      await new Promise((resolve) => socket.resume().once('close', resolve))
    }
  }
  await Promise.all(Array.from({ length: CHURN_PARALLEL }, loop))
  return { note: `${CHURN_CONNECTIONS - left} connections` }
}

const churnSent = `${PER_SECOND * CHURN_SECONDS} readers, ${PER_SECOND} more each second, of pages that change each second`

const slowSent = `${CONNECTIONS} readers of \`/metrics\` that read 4 kB every 20 s`
const idleSent = `${CONNECTIONS} connections without a request`

export const SLOW: readonly Row[] = [
  {
    name: 'slow-readers',
    sent: slowSent,
    seconds: 15,
    attack: fill((url) => slowReader(url)),
  },
  {
    name: 'slow-readers-churn',
    sent: churnSent,
    setup: { pollSeconds: 1 },
    seconds: CHURN_SECONDS,
    attack: churn,
  },
  {
    name: 'slow-readers-tls',
    sent: `${churnSent}, over TLS`,
    setup: { pollSeconds: 1, web: 'tls' },
    seconds: CHURN_SECONDS,
    attack: churn,
  },
  {
    name: 'slow-readers-many',
    sent: `${slowSent}, each from an address of its own`,
    attack: fill((url, index) => slowReader(url, attackerAddress(index))),
  },
  {
    name: 'slow-readers-status',
    sent: `${CONNECTIONS} readers of \`/\` and \`/api/v1/status\` that read 4 kB every 20 s`,
    attack: fill((url, index) => slowReader(url, ATTACKER, index % 2 === 0 ? '/' : '/api/v1/status')),
  },
  {
    name: 'slow-bodies',
    sent: `${BODY_CONNECTIONS} chunked bodies of \`POST /-/reload\` that arrive at one byte per ${CHUNK_MS} ms`,
    setup: { lifecycle: true },
    attack: fill(slowBody, BODY_CONNECTIONS),
  },
  {
    name: 'connections-churn',
    sent: `${CHURN_CONNECTIONS.toLocaleString('en')} connections, ${CHURN_PARALLEL} at a time, opened and closed`,
    attack: openAndClose,
  },
  {
    name: 'slow-requests',
    sent: `${CONNECTIONS} requests whose headers arrive at one byte per second`,
    attack: fill(slowRequest),
  },
  {
    name: 'idle-connections',
    sent: `${idleSent}, opened again when they are closed`,
    attack: fill((url) => open(url, ATTACKER).resume()),
  },
  {
    name: 'idle-connections-many',
    sent: `${idleSent}, each from an address of its own`,
    attack: fill((url, index) => open(url, attackerAddress(index)).resume()),
  },
]
