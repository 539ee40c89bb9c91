import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Connection,
  choiceArgument,
  countArgument,
  type FaultRow,
  type FullResponse,
  secondsArgument,
} from './fault.ts'
import { firstHalf } from './response_faults.ts'

const MS_PER_SECOND = 1_000
const MEGABYTE = 1_000_000
const CHUNK = Buffer.alloc(65_536, ' ')
/** Bytes of another protocol. */
const GARBAGE = Buffer.from('\u0015\u0003\u0001\u0000\u0002\u0002Fgarbage\r\n\r\n\u0000\u0001', 'latin1')

/** Faults of the connection. The storage system has processed the request before. */
export const WIRE_FAULTS = {
  reset: {
    help: 'closes the connection without a response',
    effect: { stage: 'wire', send: async (_response, _argument, { output }) => destroy(output) },
  },
  'half-open': {
    help: 'accepts the request and never responds',
    effect: { stage: 'wire', send: (_response, _argument, { signal }) => aborted(signal) },
  },
  'slow-headers': {
    help: 'waits before it responds',
    argument: secondsArgument(5),
    effect: { stage: 'wire', send: sendLate },
  },
  'slow-body': {
    help: 'sends the body byte by byte, with a pause before each',
    argument: { ...secondsArgument(1), name: 'SECONDS_PER_BYTE' },
    effect: { stage: 'wire', send: sendByteByByte },
  },
  stall: {
    help: 'sends half of the body, then nothing, and keeps the connection open',
    effect: { stage: 'wire', send: sendHalf },
  },
  truncate: {
    help: 'sends half of the body and closes the connection; the end of the body is marked by length, chunks or close',
    argument: choiceArgument(['length', 'chunked', 'close'], 'length'),
    effect: { stage: 'wire', send: sendTruncated },
  },
  'too-large': {
    help: 'pads the body with blanks, with a matching Content-Length',
    argument: countArgument('MEGABYTES', 100),
    effect: { stage: 'wire', send: sendLarge },
  },
  endless: {
    help: 'sends blanks after the body without end',
    effect: { stage: 'wire', send: sendEndless },
  },
  'hang-up': {
    help: 'sends the complete response with Connection: keep-alive, and closes the connection',
    effect: { stage: 'wire', send: sendAndHangUp },
  },
  garbage: {
    help: 'responds with bytes that are not HTTP',
    effect: {
      stage: 'wire',
      send: async (_response, _argument, { output }) => {
        output.socket?.end(GARBAGE)
      },
    },
  },
} as const satisfies Record<string, FaultRow>

function destroy(output: ServerResponse): void {
  output.socket?.destroy()
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function writeHead({ output }: Connection, response: FullResponse, length: number | undefined): void {
  // Set for the body before the faults.
  output.removeHeader('Content-Length')
  output.writeHead(response.status, {
    ...response.headers,
    ...(length === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length }),
  })
  output.flushHeaders()
}

async function sendAndHangUp(
  response: FullResponse,
  _argument: string,
  connection: Connection,
): Promise<void> {
  connection.output.setHeader('Connection', 'keep-alive')
  writeHead(connection, response, response.body.length)
  await new Promise<void>((resolve) => connection.output.end(response.body, () => resolve()))
  connection.output.socket?.end()
}

async function sendLate(response: FullResponse, seconds: string, connection: Connection): Promise<void> {
  await sleep(Number(seconds) * MS_PER_SECOND, undefined, { signal: connection.signal })
  writeHead(connection, response, response.body.length)
  connection.output.end(response.body)
}

async function sendByteByByte(
  response: FullResponse,
  seconds: string,
  connection: Connection,
): Promise<void> {
  writeHead(connection, response, response.body.length)
  for (let index = 0; index < response.body.length; index++) {
    await sleep(Number(seconds) * MS_PER_SECOND, undefined, { signal: connection.signal })
    connection.output.write(response.body.subarray(index, index + 1))
  }
  connection.output.end()
}

async function sendHalf(response: FullResponse, _argument: string, connection: Connection): Promise<void> {
  writeHead(connection, response, response.body.length)
  connection.output.write(firstHalf(response.body))
  await aborted(connection.signal)
}

async function sendTruncated(response: FullResponse, kind: string, connection: Connection): Promise<void> {
  if (kind === 'close') return sendUntilClose(response, connection)
  writeHead(connection, response, kind === 'length' ? response.body.length : undefined)
  await new Promise<void>((resolve) => connection.output.write(firstHalf(response.body), () => resolve()))
  destroy(connection.output)
}

/** Without length and chunks the end of the connection ends the body, so a client cannot detect the truncation. */
async function sendUntilClose(response: FullResponse, { output }: Connection): Promise<void> {
  const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${response.status} Truncated\r\n${headers.join('')}Connection: close\r\n\r\n`
  output.socket?.end(Buffer.concat([Buffer.from(head), firstHalf(response.body)]))
}

async function sendLarge(response: FullResponse, megabytes: string, connection: Connection): Promise<void> {
  const length = Math.max(response.body.length, Number(megabytes) * MEGABYTE)
  writeHead(connection, response, length)
  connection.output.write(response.body)
  await sendBlanks(length - response.body.length, connection)
  connection.output.end()
}

async function sendEndless(response: FullResponse, _argument: string, connection: Connection): Promise<void> {
  writeHead(connection, response, undefined)
  connection.output.write(response.body)
  await sendBlanks(Number.POSITIVE_INFINITY, connection)
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
