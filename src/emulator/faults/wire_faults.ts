import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { MS_PER_SECOND } from '../../time_units.ts'
import { type Connection, choiceArgument, countArgument, type FaultRow, secondsArgument } from './fault.ts'
import { firstHalf } from './response_faults.ts'

const MEGABYTE = 1_000_000
const CHUNK = Buffer.alloc(65_536, ' ')
/** Bytes of another protocol. */
const GARBAGE = Buffer.from('\u0015\u0003\u0001\u0000\u0002\u0002Fgarbage\r\n\r\n\u0000\u0001', 'latin1')

/** Faults of the connection. The storage system has processed the request before. */
export const WIRE_FAULTS = {
  reset: {
    help: 'closes the connection without a response',
    send: async ({ output }) => void output.socket?.destroy(),
  },
  'half-open': {
    help: 'accepts the request and never responds',
    send: ({ signal }) => aborted(signal),
  },
  'slow-headers': {
    help: 'waits before it responds',
    argument: secondsArgument(5),
    send: async (connection, seconds) => {
      await pause(connection, seconds)
      writeHead(connection).end(connection.response.body)
    },
  },
  'slow-body': {
    help: 'sends the body byte by byte, with a pause before each',
    argument: { ...secondsArgument(1), name: 'SECONDS_PER_BYTE' },
    send: sendByteByByte,
  },
  stall: {
    help: 'sends half of the body, then nothing, and keeps the connection open',
    send: async (connection) => {
      writeHead(connection).write(firstHalf(connection.response.body))
      await aborted(connection.signal)
    },
  },
  truncate: {
    help: 'sends half of the body and closes the connection; the end of the body is marked by length, chunks or close',
    argument: choiceArgument(['length', 'chunked', 'close'], 'length'),
    send: sendTruncated,
  },
  'too-large': {
    help: 'pads the body with blanks, with a matching Content-Length',
    argument: countArgument('MEGABYTES', 100),
    send: sendLarge,
  },
  endless: {
    help: 'sends blanks after the body without end',
    send: async (connection) => {
      writeHead(connection, 'chunked').write(connection.response.body)
      await sendBlanks(Number.POSITIVE_INFINITY, connection)
    },
  },
  garbage: {
    help: 'responds with bytes that are not HTTP',
    send: async ({ output }) => void output.socket?.end(GARBAGE),
  },
} as const satisfies Record<string, FaultRow>

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

function pause({ signal }: Connection, seconds: string): Promise<void> {
  return sleep(Number(seconds) * MS_PER_SECOND, undefined, { signal })
}

function writeHead(
  { output, response }: Connection,
  length: number | 'chunked' = response.body.length,
): ServerResponse {
  // Set for the body before the faults.
  output.removeHeader('Content-Length')
  output.writeHead(response.status, {
    ...response.headers,
    ...(length === 'chunked' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length }),
  })
  output.flushHeaders()
  return output
}

async function sendByteByByte(connection: Connection, seconds: string): Promise<void> {
  const { output, response } = connection
  writeHead(connection)
  for (let index = 0; index < response.body.length; index++) {
    await pause(connection, seconds)
    output.write(response.body.subarray(index, index + 1))
  }
  output.end()
}

/** A body without length and chunks ends with the connection, so a client cannot detect that it is truncated. */
async function sendTruncated(connection: Connection, kind: string): Promise<void> {
  const { output, response } = connection
  const half = firstHalf(response.body)
  if (kind === 'close') {
    const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `HTTP/1.1 ${response.status} Truncated\r\n${headers.join('')}Connection: close\r\n\r\n`
    output.socket?.end(Buffer.concat([Buffer.from(head), half]))
    return
  }
  writeHead(connection, kind === 'chunked' ? kind : response.body.length)
  await new Promise<void>((resolve) => output.write(half, () => resolve()))
  output.socket?.destroy()
}

async function sendLarge(connection: Connection, megabytes: string): Promise<void> {
  const { body } = connection.response
  const length = Math.max(body.length, Number(megabytes) * MEGABYTE)
  writeHead(connection, length).write(body)
  await sendBlanks(length - body.length, connection)
  connection.output.end()
}

/** Sends blanks as fast as the client reads, until it closes the connection. */
async function sendBlanks(count: number, { output, signal }: Connection): Promise<void> {
  let left = count
  while (left > 0) {
    const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length))
    left -= chunk.length
    if (!output.write(chunk)) await once(output, 'drain', { signal })
    signal.throwIfAborted()
  }
}
