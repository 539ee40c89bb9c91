import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { MS_PER_SECOND } from '../../time_units.ts'
import { ERRORS } from '../protocol/errors.ts'
import { CONTENT_TYPES, type DocumentFormat, writeDocument } from '../protocol/format.ts'

export interface FullResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface FaultRequest {
  /** Path and query as received. */
  readonly url: string
  readonly format: DocumentFormat
}

export interface Connection {
  readonly response: FullResponse
  readonly output: ServerResponse
  /** Aborted when the emulator stops or the connection closes. */
  readonly signal: AbortSignal
}

const MEGABYTE = 1_000_000
/** Bytes that are invalid in UTF-8. */
const NOT_UTF8 = Buffer.from([0xff, 0xfe, 0xc0])
const LOGIN_PAGE =
  '<!DOCTYPE html><html><head><title>Log in</title></head><body><form action="/login"></form></body></html>'

const { status, code, description } = ERRORS.noPermission
/** Errors of the Flux API, by the argument of the fault: status and body. */
export const QUERY_ERRORS: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  role: [status, { code, description, retryable: false }],
  compile: [500, { error: 'failed to compile query: loc 1:1: this error is made on purpose' }],
  internal: [500, { error: 'internal error: this error is made on purpose' }],
  timeout: [500, { error: 'query timed out' }],
  media: [406, { error: 'unsupported response media type: application/json' }],
}

export function queryError(kind: string): FullResponse {
  const [status, body] = QUERY_ERRORS[kind] ?? [500, {}]
  return responseOf(status, CONTENT_TYPES.json, JSON.stringify(body))
}

export function loginPage(): FullResponse {
  return responseOf(200, 'text/html; charset=utf-8', LOGIN_PAGE)
}

function responseOf(status: number, type: string, text: string, headers = {}): FullResponse {
  return { status, headers: { 'Content-Type': type, ...headers }, body: Buffer.from(text) }
}

export function redirect(location: string): FullResponse {
  return { status: 302, headers: { Location: location }, body: Buffer.alloc(0) }
}

const OPTION = /retry-after=[^,]*(, [^,=]*)?|code=\d+|retryable=(true|false)|body=(xml|json|html|none)/
export const STATUS_PATTERN = new RegExp(`^[2-5]\\d\\d(,(${OPTION.source}))*$`)

/** `503,retry-after=30,body=xml`, already validated by the pattern. The date of retry-after contains a comma too. */
export function statusResponse(argument: string, { format }: FaultRequest): FullResponse {
  const [first = '', ...parts] = argument.split(/,(?=[a-z-]+=)/)
  const status = Number(first)
  const options = Object.fromEntries(parts.map((part) => part.split(/=(.*)/s, 2)))
  const { 'retry-after': retryAfter, body: form = format, code, retryable } = options
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter }
  if (form === 'none') return { status, headers, body: Buffer.alloc(0) }
  if (form === 'html')
    return responseOf(status, 'text/html', `<html><body><h1>${status}</h1></body></html>`, headers)
  const written = form === 'xml' ? 'xml' : 'json'
  const document = { root: 'error', members: errorBody(status, code, retryable) }
  return responseOf(status, CONTENT_TYPES[written], writeDocument(document, written), headers)
}

function errorBody(status: number, code: string | undefined, retryable: string | undefined) {
  const rows = Object.values(ERRORS)
  const row =
    code === undefined
      ? rows.findLast((one) => one.status === status && one.code !== ERRORS.noPermission.code)
      : rows.find((one) => one.code === Number(code))
  return {
    code: Number(code ?? row?.code ?? ERRORS.failure.code),
    description: (row ?? ERRORS.failure).description,
    details: 'This error is made on purpose',
    retryable: retryable === undefined ? status >= ERRORS.failure.status : retryable === 'true',
  }
}

export function gzipped(body: Buffer): { readonly headers: Record<string, string>; readonly body: Buffer } {
  return { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body) }
}

function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

export function gzippedHalf(body: Buffer) {
  const whole = gzipped(body)
  return { ...whole, body: firstHalf(whole.body) }
}

/** A gzip stream may have many members: one megabyte of blanks, repeated. */
export function gzipBomb(_body: Buffer, megabytes: string) {
  const { headers, body } = gzipped(Buffer.alloc(MEGABYTE, ' '))
  return { headers, body: Buffer.concat(Array.from({ length: Number(megabytes) }, () => body)) }
}

export function withBadBytes(body: Buffer): { body: Buffer } {
  const name = '"displayName":"'
  const found = body.indexOf(name)
  const position = found < 0 ? Math.floor(body.length / 2) : found + name.length
  return { body: Buffer.concat([body.subarray(0, position), NOT_UTF8, body.subarray(position)]) }
}

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
