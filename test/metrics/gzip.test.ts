import { crc32, gunzipSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compressPiece, endGzip } from '../../src/metrics/exposition.ts'
import type { Body } from '../../src/metrics/lines.ts'

/** A body of two pieces. */
async function bodyOf(text: string): Promise<Body> {
  const bytes = Buffer.from(text)
  const middle = Math.floor(bytes.length / 2)
  const pieces = [bytes.subarray(0, middle), bytes.subarray(middle)].map((piece) => compressPiece(piece))
  return { pieces: await Promise.all(pieces), textBytes: bytes.length, crc: crc32(bytes) }
}

test('head and tail form one valid gzip member', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (head, tail) => {
      const whole = Buffer.concat(endGzip(await bodyOf(head), Buffer.from(tail)))
      expect(gunzipSync(whole).toString()).toBe(Buffer.from(head + tail).toString())
      // A browser reads only the first member, so it must contain the whole body.
      expect(inflateRawSync(whole.subarray(10)).toString()).toBe(Buffer.from(head + tail).toString())
    }),
  )
})

test('one head can be completed with different tails', async () => {
  const head = await bodyOf('head '.repeat(10_000))
  for (const tail of ['one', 'two', '']) {
    const text = gunzipSync(Buffer.concat(endGzip(head, Buffer.from(tail)))).toString()
    expect(text).toBe('head '.repeat(10_000) + tail)
  }
})
