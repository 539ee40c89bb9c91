import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstHalf } from './answer_faults.ts'
import { COUNT, type FaultRow, ONE_OF, SECONDS, type Wire, type WireAnswer } from './fault.ts'

const MILLISECONDS = 1_000
const MEGABYTE = 1_000_000
const CHUNK = Buffer.alloc(65_536, ' ')
/** What a server of another protocol might say. */
const GARBAGE = Buffer.from('\u0015\u0003\u0001\u0000\u0002\u0002Fgarbage\r\n\r\n\u0000\u0001', 'latin1')

/** Faults of the connection: how the bytes travel. The storage system has done what it was asked for. */
export const WIRE_FAULTS = {
  reset: {
    help: 'breaks the connection instead of answering',
    effect: { stage: 'wire', send: async (_answer, _argument, { response }) => destroy(response) },
  },
  'half-open': {
    help: 'takes the request and never answers',
    effect: { stage: 'wire', send: (_answer, _argument, { signal }) => aborted(signal) },
  },
  'slow-headers': {
    help: 'waits before it answers',
    argument: SECONDS(5),
    effect: { stage: 'wire', send: sendLate },
  },
  'slow-body': {
    help: 'sends the body byte by byte, with a pause before each',
    argument: { ...SECONDS(1), name: 'SECONDS_PER_BYTE' },
    effect: { stage: 'wire', send: sendDrops },
  },
  stall: {
    help: 'sends half of the body and then nothing, with the connection open',
    effect: { stage: 'wire', send: sendHalf },
  },
  truncate: {
    help: 'sends half of the body and closes; the whole was announced by length, in chunks, or by closing',
    argument: ONE_OF(['length', 'chunked', 'close'], 'length'),
    effect: { stage: 'wire', send: sendTruncated },
  },
  'too-large': {
    help: 'fills the body up with blanks, which its announced length tells',
    argument: COUNT('MEGABYTES', 100),
    effect: { stage: 'wire', send: sendLarge },
  },
  endless: {
    help: 'sends blanks after the body for ever',
    effect: { stage: 'wire', send: sendEndless },
  },
  'hang-up': {
    help: 'answers in full, promises to keep the connection, and closes it',
    effect: { stage: 'wire', send: sendAndHangUp },
  },
  garbage: {
    help: 'answers with bytes that are not HTTP',
    effect: {
      stage: 'wire',
      send: async (_answer, _argument, { response }) => {
        response.socket?.end(GARBAGE)
      },
    },
  },
} as const satisfies Record<string, FaultRow>

function destroy(response: ServerResponse): void {
  response.socket?.destroy()
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function writeHead({ response }: Wire, answer: WireAnswer, length: number | undefined): void {
  // Set for the answer as it was before the faults.
  response.removeHeader('Content-Length')
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(length === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': length }),
  })
  response.flushHeaders()
}

async function sendAndHangUp(answer: WireAnswer, _argument: string, wire: Wire): Promise<void> {
  wire.response.setHeader('Connection', 'keep-alive')
  writeHead(wire, answer, answer.body.length)
  await new Promise<void>((resolve) => wire.response.end(answer.body, () => resolve()))
  wire.response.socket?.end()
}

async function sendLate(answer: WireAnswer, seconds: string, wire: Wire): Promise<void> {
  await sleep(Number(seconds) * MILLISECONDS, undefined, { signal: wire.signal })
  writeHead(wire, answer, answer.body.length)
  wire.response.end(answer.body)
}

async function sendDrops(answer: WireAnswer, seconds: string, wire: Wire): Promise<void> {
  writeHead(wire, answer, answer.body.length)
  for (let index = 0; index < answer.body.length; index++) {
    await sleep(Number(seconds) * MILLISECONDS, undefined, { signal: wire.signal })
    wire.response.write(answer.body.subarray(index, index + 1))
  }
  wire.response.end()
}

async function sendHalf(answer: WireAnswer, _argument: string, wire: Wire): Promise<void> {
  writeHead(wire, answer, answer.body.length)
  wire.response.write(firstHalf(answer.body))
  await aborted(wire.signal)
}

async function sendTruncated(answer: WireAnswer, kind: string, wire: Wire): Promise<void> {
  if (kind === 'close') return sendUntilClose(answer, wire)
  writeHead(wire, answer, kind === 'length' ? answer.body.length : undefined)
  await new Promise<void>((resolve) => wire.response.write(firstHalf(answer.body), () => resolve()))
  destroy(wire.response)
}

/** Neither length nor chunks: the end of the connection is the end of the body, so that the cut cannot be seen. */
async function sendUntilClose(answer: WireAnswer, { response }: Wire): Promise<void> {
  const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${answer.status} Truncated\r\n${headers.join('')}Connection: close\r\n\r\n`
  response.socket?.end(Buffer.concat([Buffer.from(head), firstHalf(answer.body)]))
}

async function sendLarge(answer: WireAnswer, megabytes: string, wire: Wire): Promise<void> {
  const length = Math.max(answer.body.length, Number(megabytes) * MEGABYTE)
  writeHead(wire, answer, length)
  wire.response.write(answer.body)
  await sendBlanks(length - answer.body.length, wire)
  wire.response.end()
}

async function sendEndless(answer: WireAnswer, _argument: string, wire: Wire): Promise<void> {
  writeHead(wire, answer, undefined)
  wire.response.write(answer.body)
  await sendBlanks(Number.POSITIVE_INFINITY, wire)
}

/** As fast as the client takes them, until it goes away. */
async function sendBlanks(count: number, { response, signal }: Wire): Promise<void> {
  let left = count
  while (left > 0) {
    const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length))
    left -= chunk.length
    if (!response.write(chunk)) await once(response, 'drain', { signal })
    signal.throwIfAborted()
  }
}
