import type { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { errorCode } from '../../values/errors.ts'
import { ApiError } from '../errors/errors.ts'
import { checkJsonBounds } from '../parse/json.ts'

const decompress = promisify(gunzip)

export interface BodyHeaders {
  readonly encoding: string | undefined
  /** Content-Length, not parsed. */
  readonly length: string | undefined
}

/** The JSON and XML of real systems is compressed to a tenth. Bodies that wait to be decoded stay compressed. */
const LEAST_COMPRESSION = 4

/**
 * Reads the body of a response without decoding it: at most `maxBytes`, or a quarter of that if it is compressed.
 * @throws {ApiError} `too_large`
 */
export async function readBody(stream: Readable, headers: BodyHeaders, maxBytes: number): Promise<Buffer> {
  const limit = encodingOf(headers.encoding) === 'gzip' ? Math.ceil(maxBytes / LEAST_COMPRESSION) : maxBytes
  // A body with an announced length is refused before any of it is read.
  if (Number(headers.length) > limit) {
    stream.destroy()
    throw tooLarge(limit)
  }
  const { bytes, whole } = await readUpTo(stream, limit)
  if (!whole) throw tooLarge(limit)
  return bytes
}

/**
 * The text of a body, of at most `maxBytes` after decompression, which can be parsed in bounded time and memory.
 * @throws {ApiError} `too_large`, or `encoding` for another encoding than gzip and for text that is not UTF-8
 */
export async function decodeBody(
  raw: Buffer,
  { encoding }: BodyHeaders,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const bytes = await decoded(raw, encoding, maxBytes)
  signal.throwIfAborted()
  checkJsonBounds(bytes, maxBytes)
  await nextTurn()
  signal.throwIfAborted()
  try {
    // Fatal, so that a broken name is an error and not a wrong name; a byte order mark is dropped.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ApiError('encoding', 'the response is not UTF-8 text', { cause })
  }
}

/** Error bodies of the system are a few sentences. */
const MAX_ERROR_BYTES = 16_384

/**
 * Reads what can be read of the body of a refusal. The status is already known, so nothing that is wrong with
 * the body may hide it: a proxy's page in another encoding, a body that breaks off or never ends.
 * @returns the text, and the bytes that were read of the body as it was received; undefined if the body broke off
 */
export async function readErrorText(
  stream: Readable,
  { encoding }: Pick<BodyHeaders, 'encoding'>,
): Promise<{ readonly text: string; readonly bytes: number | undefined }> {
  let length: number | undefined
  try {
    const { bytes } = await readUpTo(stream, MAX_ERROR_BYTES)
    length = bytes.length
    return { text: new TextDecoder().decode(await decoded(bytes, encoding, MAX_ERROR_BYTES)), bytes: length }
  } catch {
    return { text: '', bytes: length }
  }
}

/** Reads a body until it ends or has more than `maxBytes`, and the beginning of the latter. */
export async function readUpTo(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly whole: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    // Leaving the loop destroys a stream, and with it the connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks), whole: false }
    chunks.push(chunk)
  }
  return { bytes: Buffer.concat(chunks, length), whole: true }
}

function encodingOf(header = ''): 'identity' | 'gzip' | undefined {
  const name = header.trim().toLowerCase()
  if (name === 'gzip' || name === 'x-gzip') return 'gzip'
  return name === '' || name === 'identity' ? 'identity' : undefined
}

async function decoded(raw: Buffer, header: string | undefined, maxBytes: number): Promise<Buffer> {
  const encoding = encodingOf(header)
  if (encoding === undefined)
    throw new ApiError('encoding', 'the response has an encoding that was not requested')
  // Some servers announce an encoding even where there is nothing to encode.
  if (encoding === 'identity' || raw.length === 0) return raw
  try {
    return await decompress(raw, { maxOutputLength: maxBytes })
  } catch (cause) {
    if (errorCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new ApiError('encoding', 'the compressed response is broken', { cause })
  }
}

function tooLarge(maxBytes: number): ApiError {
  const limit = `${maxBytes} bytes, set by limits.max_response_bytes`
  return new ApiError('too_large', `the response is larger than allowed (${limit})`)
}
