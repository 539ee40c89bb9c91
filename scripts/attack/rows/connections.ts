import type { Socket } from 'node:net'
import { flood, keepOpen, open, pause, requestText } from '../clients.ts'
import { OTHER, type Row, type Target } from '../row.ts'

const CONNECTIONS = 30
const REQUESTS = 1800
const PROBE = `/probe?system=${OTHER}`

/** Opens a connection and sends the text. The responses are not read. */
function sendOnly(url: string, text: string): Socket {
  const socket = open(url)
  socket.pause()
  socket.write(text)
  return socket
}

const pipeline = (url: string, path: string): string => requestText(url, 'GET', path).repeat(REQUESTS)

/** Thousands of requests on a few connections. */
async function neverRead(url: string, text: string, signal: AbortSignal): Promise<undefined> {
  await keepOpen(CONNECTIONS, signal, () => sendOnly(url, text))
}

/** Requests that Node.js refuses itself by default. */
const withoutHost = (url: string): string =>
  requestText(url, 'GET', '/metrics') + 'GET / HTTP/1.1\r\n\r\n'.repeat(REQUESTS)

/** Each client leaves when its requests were sent. Afterwards the exporter should be idle. */
async function leave({ url }: Target, signal: AbortSignal): Promise<undefined> {
  const text = pipeline(url, '/metrics')
  for (let index = 0; index < CONNECTIONS; index += 1) {
    const socket = sendOnly(url, text)
    socket.once('connect', () => setTimeout(() => socket.destroy(), 100))
  }
  await pause(60_000, signal)
}

const sent = (path: string) =>
  `${CONNECTIONS} connections with ${REQUESTS.toLocaleString('en')} pipelined \`GET ${path}\` each`

export const PIPELINING: readonly Row[] = [
  {
    name: 'pipelining',
    sent: `${sent('/metrics')}, which never read`,
    attack: ({ url }, signal) => neverRead(url, pipeline(url, '/metrics'), signal),
  },
  {
    name: 'pipelining-probes',
    sent: `${sent(PROBE)}, which never read`,
    attack: ({ url }, signal) => neverRead(url, pipeline(url, PROBE), signal),
  },
  {
    name: 'pipelining-leave',
    sent: `${sent('/metrics')}, closed at once`,
    attack: leave,
  },
  {
    name: 'pipelining-no-host',
    sent: `${CONNECTIONS} connections with \`GET /metrics\` and ${REQUESTS.toLocaleString('en')} pipelined \`GET /\` without \`Host\` each`,
    attack: ({ url }, signal) => neverRead(url, withoutHost(url), signal),
  },
  {
    name: 'pipelining-admin',
    sent: `${sent('/systems')} to the administration, which never read`,
    attack: ({ adminUrl }, signal) => neverRead(adminUrl, pipeline(adminUrl, '/systems'), signal),
  },
]

const PAGE = '/docs/alerts'
const BEGIN_MS = 50
/** More than the exporter parses at a time. */
const HEADER_CHARACTERS = 3000
/** The response has been sent by then. */
const RESET_MS = 20

async function resetConnect(url: string): Promise<void> {
  const socket = open(url)
  socket.write(`CONNECT a:443 HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`)
  await pause(RESET_MS)
  socket.resetAndDestroy()
}

/** Each write ends a request, whose response is not read, and begins the next one. */
async function neverReadPages(url: string, signal: AbortSignal): Promise<undefined> {
  const begin = `GET ${PAGE} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX: ${'a'.repeat(HEADER_CHARACTERS)}`
  await keepOpen(CONNECTIONS, signal, () => {
    const socket = sendOnly(url, begin)
    const timer = setInterval(() => socket.write(`\r\n\r\n${begin}`), BEGIN_MS)
    return socket.once('close', () => clearInterval(timer))
  })
}

export const ODD_CONNECTIONS: readonly Row[] = [
  {
    name: 'reset-connect',
    sent: `\`CONNECT\` on ${CONNECTIONS} connections at a time, which the client resets after the response`,
    attack: async ({ url }, signal) => ({
      note: `${await flood(CONNECTIONS, signal, () => resetConnect(url))} connections`,
    }),
  },
  {
    name: 'unread-pages',
    sent: `${CONNECTIONS} connections with \`GET ${PAGE}\` every ${BEGIN_MS} ms, whose responses are not read`,
    attack: ({ url }, signal) => neverReadPages(url, signal),
  },
]
