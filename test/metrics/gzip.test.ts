import { gunzipSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginGzip, compressTail, endGzip } from '../../src/metrics/gzip.ts'

test('a body in two pieces is one valid gzip member', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (head, tail) => {
      const whole = Buffer.concat(
        endGzip(await beginGzip(Buffer.from(head)), compressTail(Buffer.from(tail))),
      )
      expect(gunzipSync(whole).toString()).toBe(Buffer.from(head + tail).toString())
      // A reader that stops after the first member, as browsers do, must have seen everything.
      expect(inflateRawSync(whole.subarray(10)).toString()).toBe(Buffer.from(head + tail).toString())
    }),
  )
})

test('the same head ends in different tails', async () => {
  const head = await beginGzip(Buffer.from('head '.repeat(10_000)))
  for (const tail of ['one', 'two', '']) {
    const text = gunzipSync(Buffer.concat(endGzip(head, compressTail(Buffer.from(tail))))).toString()
    expect(text).toBe('head '.repeat(10_000) + tail)
  }
})
