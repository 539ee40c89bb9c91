import { gunzipSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginGzip, compressTail, endGzip } from '../../src/metrics/gzip.ts'

test('head and tail form one valid gzip member', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), async (head, tail) => {
      const whole = Buffer.concat(
        endGzip(await beginGzip(Buffer.from(head)), compressTail(Buffer.from(tail))),
      )
      expect(gunzipSync(whole).toString()).toBe(Buffer.from(head + tail).toString())
      // A browser reads only the first member, so it must contain the whole body.
      expect(inflateRawSync(whole.subarray(10)).toString()).toBe(Buffer.from(head + tail).toString())
    }),
  )
})

test('one head can be completed with different tails', async () => {
  const head = await beginGzip(Buffer.from('head '.repeat(10_000)))
  for (const tail of ['one', 'two', '']) {
    const text = gunzipSync(Buffer.concat(endGzip(head, compressTail(Buffer.from(tail))))).toString()
    expect(text).toBe('head '.repeat(10_000) + tail)
  }
})
