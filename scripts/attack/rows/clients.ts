import type { Socket } from 'node:net'
import { ATTACKER, attackerAddress, flood, keepOpen, open, pause, request, requestText } from '../clients.ts'
import { OTHER, type Row, type Target } from '../row.ts'

/** The default limit of connections of a listener. */
const CONNECTIONS = 512
const PIPELINES = 30
const REQUESTS = 1800
const PROBE = `/probe?system=${OTHER}`

/** Opens a connection and sends the text. The responses are not read. */
function sendOnly(url: string, text: string): Socket {
  const socket = open(url).pause()
  socket.write(text)
  return socket
}

/** Keeps connections open until the end of the attack. */
function keep(connection: (target: Target, index: number) => Socket, count = CONNECTIONS): Row['attack'] {
  return async (target, signal) => {
    await keepOpen(count, signal, (index) => connection(target, index))
    return undefined
  }
}

const pipeline = (url: string, path: string) => sendOnly(url, requestText(url, 'GET', path).repeat(REQUESTS))

/** Repeats a write until the connection is closed. */
function every(milliseconds: number, socket: Socket, action: () => unknown): Socket {
  const timer = setInterval(action, milliseconds)
  return socket.once('close', () => clearInterval(timer))
}

const READ_BYTES = 4096
const READ_MS = 20_000

/** Requests a page and reads 4 kB of it every 20 s. */
function slowReader(url: string, from = ATTACKER, path = '/metrics'): Socket {
  const socket = open(url, from).pause()
  socket.write(requestText(url, 'GET', path))
  return every(READ_MS, socket, () => socket.read(READ_BYTES))
}

/** Sends the beginning of a request, and then a text again and again. */
function slowRequest(url: string, begin: string, text: string, milliseconds: number): Socket {
  const socket = open(url).resume()
  socket.write(`${begin.replace('\r\n', `\r\nHost: ${new URL(url).host}\r\n`)}`)
  return every(milliseconds, socket, () => socket.write(text))
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

const PARALLEL = 200

/** Opens connections and closes each as soon as it is open. */
async function openAndClose({ url }: Target, signal: AbortSignal): Promise<undefined> {
  await flood(PARALLEL, signal, async () => {
    const socket = open(url)
    socket.once('connect', () => socket.end())
    await new Promise((resolve) => socket.resume().once('close', resolve))
  })
}

/** The response of CONNECT has been sent by then. */
const RESET_MS = 20

async function resetConnect({ url }: Target, signal: AbortSignal): Promise<undefined> {
  await flood(PIPELINES, signal, async () => {
    const socket = sendOnly(url, requestText(url, 'CONNECT', 'a:443'))
    await pause(RESET_MS)
    socket.resetAndDestroy()
  })
}

const PAGE = '/runbooks'
const PAGE_MS = 50

const GUESSES = 32
const ADDRESSES = 2000
/** Shorter than the time in which an attack must end. */
const TIMEOUT_MS = 3000

async function guessPasswords({ url }: Target, signal: AbortSignal): Promise<readonly string[]> {
  let accepted = 0
  await flood(GUESSES, signal, async (run) => {
    const Authorization = `Basic ${Buffer.from(`prometheus:guess-${run}`).toString('base64')}`
    const from = attackerAddress(run % ADDRESSES)
    const options = { headers: { Authorization }, from, timeoutMs: TIMEOUT_MS }
    if ((await request(`${url}/metrics`, options)) === 200) accepted += 1
  })
  return accepted === 0 ? [] : ['a wrong password was accepted']
}

const pipelined = (path: string) => `${PIPELINES} connections with ${REQUESTS} pipelined \`GET ${path}\` each`
const slowSent = `${CONNECTIONS} readers of \`/metrics\` that read 4 kB every 20 s`
const churnSent = `${PER_SECOND} readers more each second, of pages that change each second`

/** Clients of the two listeners. */
export const CLIENTS: readonly Row[] = [
  {
    name: 'pipelining',
    sent: `${pipelined('/metrics')}, which never read`,
    attack: keep(({ url }) => pipeline(url, '/metrics'), PIPELINES),
  },
  {
    name: 'pipelining-probes',
    sent: `${pipelined(PROBE)}, which never read`,
    attack: keep(({ url }) => pipeline(url, PROBE), PIPELINES),
  },
  {
    name: 'pipelining-admin',
    sent: `${pipelined('/systems')} to the administration, which never read`,
    attack: keep(({ adminUrl }) => pipeline(adminUrl, '/systems'), PIPELINES),
  },
  {
    name: 'unread-pages',
    sent: `${PIPELINES} connections with \`GET ${PAGE}\` every ${PAGE_MS} ms, whose responses are not read`,
    attack: keep(({ url }) => {
      const text = requestText(url, 'GET', PAGE)
      const socket = sendOnly(url, text)
      return every(PAGE_MS, socket, () => socket.write(text))
    }, PIPELINES),
  },
  {
    name: 'reset-connect',
    sent: `\`CONNECT\` on ${PIPELINES} connections at a time, which the client resets after the response`,
    attack: resetConnect,
  },
  { name: 'slow-readers', sent: slowSent, seconds: 15, attack: keep(({ url }) => slowReader(url)) },
  {
    name: 'slow-readers-many',
    sent: `${slowSent}, each from an address of its own`,
    attack: keep(({ url }, index) => slowReader(url, attackerAddress(index))),
  },
  {
    name: 'slow-readers-status',
    sent: `${CONNECTIONS} readers of \`/\` and \`/api/v1/status\` that read 4 kB every 20 s`,
    attack: keep(({ url }, index) => slowReader(url, ATTACKER, index % 2 === 0 ? '/' : '/api/v1/status')),
  },
  { name: 'slow-readers-churn', sent: churnSent, seconds: CHURN_SECONDS, attack: churn },
  {
    name: 'slow-readers-tls',
    sent: `${churnSent}, over TLS`,
    setup: { web: 'tls' },
    seconds: CHURN_SECONDS,
    attack: churn,
  },
  {
    name: 'slow-requests',
    sent: `${CONNECTIONS} requests whose headers arrive at one byte per second`,
    attack: keep(({ url }) => slowRequest(url, 'GET /metrics HTTP/1.1\r\nX-Slow: ', 'x', 1000)),
  },
  {
    name: 'slow-bodies',
    sent: `${CONNECTIONS} chunked bodies of \`POST /-/reload\` that arrive at one byte per 100 ms`,
    attack: keep(({ url }) => {
      const begin = 'POST /-/reload HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'
      return slowRequest(url, begin, '1\r\nx\r\n', 100)
    }),
  },
  {
    name: 'idle-connections',
    sent: `${CONNECTIONS} connections without a request, opened again when they are closed`,
    attack: keep(({ url }) => open(url).resume()),
  },
  {
    name: 'connections-churn',
    sent: `connections that are opened and closed, ${PARALLEL} at a time`,
    attack: openAndClose,
  },
  {
    name: 'passwords',
    sent: `guesses of the password of \`/metrics\` from ${ADDRESSES} addresses, ${GUESSES} at a time`,
    setup: { web: 'users' },
    attack: guessPasswords,
  },
]
