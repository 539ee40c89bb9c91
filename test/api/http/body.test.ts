import { Readable } from 'node:stream'
import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type BodyHeaders, decodeBody, readBody, readErrorText } from '../../../src/api/http/transport.ts'
import { never } from './responses.ts'

const LIMIT = 1000
const stream = (...chunks: (string | Buffer)[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
const plain = { encoding: undefined, length: undefined }
const encoded = (encoding: string) => ({ encoding, length: undefined })
const ofLength = (bytes: number) => ({ encoding: undefined, length: `${bytes}` })
const PACKED = gzipSync('ab')
const breaking = () =>
  Readable.from(
    (async function* () {
      yield Buffer.from('first part')
      throw new Error('the connection broke')
    })(),
  )

/** The text of a body, as a client reads it. */
async function textOf(body: Readable, headers: BodyHeaders, limit = LIMIT): Promise<string> {
  return decodeBody(await readBody(body, headers, limit), headers, limit, never())
}

describe('a body', () => {
  test.each<[string, Readable, { encoding: string | undefined; length: string | undefined }, string]>([
    ['plain', stream('a', 'b'), plain, 'ab'],
    ['an empty body', stream(), plain, ''],
    ['identity', stream('ab'), encoded('identity'), 'ab'],
    ['gzip', stream(gzipSync('ab')), encoded('gzip'), 'ab'],
    ['gzip in two chunks', stream(PACKED.subarray(0, 9), PACKED.subarray(9)), encoded('GZIP '), 'ab'],
    ['x-gzip', stream(gzipSync('ab')), encoded('x-gzip'), 'ab'],
    ['an empty body with Content-Encoding: gzip', stream(), encoded('gzip'), ''],
    ['a byte order mark', stream(Buffer.from([0xef, 0xbb, 0xbf]), 'ab'), plain, 'ab'],
    ['a character split between chunks', stream(Buffer.from([0xc3]), Buffer.from([0xa4])), plain, 'ä'],
    ['exactly the limit', stream('x'.repeat(LIMIT)), ofLength(LIMIT), 'x'.repeat(LIMIT)],
  ])('%s', async (_, body, headers, expected) => {
    expect(await textOf(body, headers)).toBe(expected)
  })

  test.each<[string, Readable, { encoding: string | undefined; length: string | undefined }, string]>([
    ['more than the limit', stream('x'.repeat(LIMIT), 'x'), plain, 'too_large'],
    ['a Content-Length above the limit', stream('x'), ofLength(LIMIT + 1), 'too_large'],
    ['a gzip bomb', stream(gzipSync(Buffer.alloc(1_000_000))), encoded('gzip'), 'too_large'],
    ['truncated gzip', stream(gzipSync('abcdef').subarray(0, 15)), encoded('gzip'), 'encoding'],
    ['a body that is not gzip', stream('{"a":1}'), encoded('gzip'), 'encoding'],
    ['br', stream('x'), encoded('br'), 'encoding'],
    ['deflate', stream(deflateSync('x')), encoded('deflate'), 'encoding'],
    ['gzip twice', stream(gzipSync(gzipSync('x'))), encoded('gzip, gzip'), 'encoding'],
    ['an encoding with the name of an Object member', stream('x'), encoded('constructor'), 'encoding'],
    ['bytes that are not UTF-8', stream(Buffer.from([0x7b, 0xff, 0x7d])), plain, 'encoding'],
    ['UTF-16', stream(Buffer.from('{"a":1}', 'utf16le'), Buffer.from([0xd8])), plain, 'encoding'],
    ['a surrogate in UTF-8', stream(Buffer.from([0xed, 0xa0, 0x80])), plain, 'encoding'],
  ])('%s is refused', async (_, body, headers, reason) => {
    await expect(textOf(body, headers)).rejects.toMatchObject({ reason })
    expect(body.destroyed).toBe(true)
  })

  test('of a few bytes with many values is refused before it is parsed', async () => {
    const body = stream(gzipSync(`[${'{},'.repeat(30_000)}0]`))
    const failure = await textOf(body, encoded('gzip'), 100_000).catch((cause: unknown) => cause)
    expect(failure).toMatchObject({ reason: 'too_large' })
    expect(String(failure)).toMatch(
      /more than 3125 JSON values, .*limits.max_response_bytes \(100000 bytes\)/,
    )
  })

  test('is not decoded after the request was aborted', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(decodeBody(gzipSync('ab'), encoded('gzip'), LIMIT, stopped)).rejects.toThrow('stopped')
  })

  test('an endless stream is destroyed at the limit', async () => {
    let sent = 0
    const endless = Readable.from(
      (function* () {
        for (;;) {
          sent += 100
          yield Buffer.alloc(100, ' ')
        }
      })(),
    )
    await expect(readBody(endless, plain, LIMIT)).rejects.toMatchObject({ reason: 'too_large' })
    expect(sent).toBeLessThan(LIMIT * 10)
  })

  test('the error of a broken connection is passed on', async () => {
    await expect(readBody(breaking(), plain, LIMIT)).rejects.toThrow('the connection broke')
  })
})

describe('readErrorText', () => {
  test.each<[string, Readable, { encoding: string | undefined; length: string | undefined }, string]>([
    ['plain', stream('ab'), plain, 'ab'],
    ['gzip', stream(gzipSync('ab')), encoded('gzip'), 'ab'],
    ['a body that is not UTF-8', stream(Buffer.from([0x61, 0xe4])), plain, 'a\ufffd'],
    ['an unknown encoding', stream('ab'), encoded('br'), ''],
    ['broken gzip', stream('ab'), encoded('gzip'), ''],
    ['a gzip bomb', stream(gzipSync(Buffer.alloc(1_000_000))), encoded('gzip'), ''],
    ['a broken connection', breaking(), plain, ''],
  ])('%s', async (_, body, headers, expected) => {
    expect((await readErrorText(body, headers)).text).toBe(expected)
  })

  test('reads at most 16000 characters', async () => {
    const body = stream(...Array.from({ length: 1000 }, () => 'x'.repeat(1000)))
    expect((await readErrorText(body, plain)).text).toHaveLength(16_000)
    expect(body.destroyed).toBe(true)
  })
})
