import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { MS_PER_SECOND } from '../../time_units.ts'
import type { Connection } from './kinds.ts'
import { firstHalf } from './responses.ts'

const MEGABYTE = 1_000_000
const BLANKS = Buffer.alloc(65_536, ' ')
/** Bytes of another protocol. */
const GARBAGE = Buffer.from('\u0015\u0003\u0001\u0000\u0002\u0002Fgarbage\r\n\r\n\u0000\u0001', 'latin1')

export async function closeConnection({ output }: Connection): Promise<void> {
  output.socket?.destroy()
}

export async function sendGarbage({ output }: Connection): Promise<void> {
  output.socket?.end(GARBAGE)
}

export async function sendNothing({ signal }: Pick<Connection, 'signal'>): Promise<void> {
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

export async function sendLate(connection: Connection, seconds: string): Promise<void> {
  await pause(connection, seconds)
  writeHead(connection).end(connection.response.body)
}

export async function sendBytes(connection: Connection, seconds: string): Promise<void> {
  const { output, response } = connection
  writeHead(connection)
  for (let index = 0; index < response.body.length; index++) {
    await pause(connection, seconds)
    output.write(response.body.subarray(index, index + 1))
  }
  output.end()
}

export async function sendHalf(connection: Connection): Promise<void> {
  writeHead(connection).write(firstHalf(connection.response.body))
  await sendNothing(connection)
}

/** A body without length and chunks ends with the connection, so a client cannot detect that it is truncated. */
export async function sendTruncated(connection: Connection, kind: string): Promise<void> {
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

export async function sendLarge(connection: Connection, megabytes: string): Promise<void> {
  const { body } = connection.response
  const length = Math.max(body.length, Number(megabytes) * MEGABYTE)
  writeHead(connection, length).write(body)
  await sendBlanks(length - body.length, connection)
  connection.output.end()
}

export async function sendEndless(connection: Connection): Promise<void> {
  writeHead(connection, 'chunked').write(connection.response.body)
  await sendBlanks(Number.POSITIVE_INFINITY, connection)
}

/** Sends blanks as fast as the client reads, until it closes the connection. */
async function sendBlanks(count: number, { output, signal }: Connection): Promise<void> {
  let left = count
  while (left > 0) {
    const chunk = BLANKS.subarray(0, Math.min(left, BLANKS.length))
    left -= chunk.length
    if (!output.write(chunk)) await once(output, 'drain', { signal })
    signal.throwIfAborted()
  }
}
