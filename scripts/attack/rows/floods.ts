import { pause } from '../clients.ts'
import type { Responder } from '../hostile_system.ts'
import type { Row } from '../row.ts'

interface Flood {
  readonly name: string
  readonly sent: string
  /** What is sent without HTTP of Node.js, which would refuse to send it. */
  readonly head: string
  /** Sent once, or again and again. */
  readonly rest: Buffer
  readonly isEndless?: boolean
}

const SECONDS = 6
const HEADERS = 60_000
const LINES = Buffer.from('a:\r\n'.repeat(HEADERS))
const OK = 'HTTP/1.1 200 OK\r\n'

const FLOODS_SENT: readonly Flood[] = [
  { name: 'header-flood', sent: `${HEADERS.toLocaleString('en')} headers`, head: OK, rest: LINES },
  {
    name: 'trailer-flood',
    sent: `${HEADERS.toLocaleString('en')} trailers`,
    head: `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`,
    rest: LINES,
  },
  {
    name: 'informational-flood',
    sent: 'informational answers (103) without an end',
    head: '',
    rest: Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000)),
    isEndless: true,
  },
]

function flood({ head, rest, isEndless = false }: Flood): Responder {
  return ({ socket }) => {
    const fill = () => {
      while (!socket.destroyed && socket.write(rest) && isEndless) {
        // Until the buffer is full.
      }
    }
    if (isEndless) socket.on('drain', fill)
    socket.write(head)
    fill()
  }
}

/** One of two systems answers all lists and polls so; polls come every second, lists every two seconds. */
export const FLOODS: readonly Row[] = FLOODS_SENT.map((sent) => ({
  name: sent.name,
  sent: sent.sent,
  setup: { hostile: true, pollSeconds: 1 },
  seconds: SECONDS,
  async attack(target, signal) {
    const answer = flood(sent)
    target.hostile().use({ pools: answer, nodes: answer, providers: answer })
    await pause(SECONDS * 1000, signal)
    return undefined
  },
}))
