import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from './errors.ts'

const decompress = promisify(gunzip)

/**
 * Reads the body of an answer as text, never more than `maxBytes` of it, compressed or not.
 * @throws {ApiError} `too_large`, or `encoding` for another encoding than gzip and for text that is not UTF-8
 */
export async function readBody(
  stream: Readable,
  encoding: string | undefined,
  maxBytes: number,
): Promise<string> {
  const raw = await readBytes(stream, maxBytes)
  const bytes = await decoded(raw, encoding?.trim().toLowerCase(), maxBytes)
  try {
    // Fatal, so that a broken name is an error and not a wrong name; a byte order mark is dropped.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new ApiError('encoding', 'the answer is not UTF-8 text', { cause })
  }
}

async function readBytes(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

async function decoded(raw: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return raw
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new ApiError('encoding', 'the answer has an encoding that was not asked for')
  }
  try {
    return await decompress(raw, { maxOutputLength: maxBytes })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new ApiError('encoding', 'the compressed answer is broken', { cause })
  }
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError('too_large', `the answer is larger than limits.max_response_bytes (${maxBytes} bytes)`)
}
