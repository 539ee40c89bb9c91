import { flood, keepOpen, open, pause } from '../clients.ts'
import type { Row } from '../row.ts'

const CONNECTIONS = 30
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
async function neverRead(url: string, signal: AbortSignal): Promise<undefined> {
  const begin = `GET ${PAGE} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX: ${'a'.repeat(HEADER_CHARACTERS)}`
  await keepOpen(CONNECTIONS, signal, () => {
    const socket = open(url)
    socket.pause()
    socket.write(begin)
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
    attack: ({ url }, signal) => neverRead(url, signal),
  },
]
