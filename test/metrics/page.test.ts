import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { FORMATS, type Format, OPENMETRICS_END, renderPart } from '../../src/metrics/exposition.ts'
import { compressTail, endGzip } from '../../src/metrics/gzip.ts'
import { createPage } from '../../src/metrics/page.ts'
import { parseExposition } from './exposition_text.ts'
import { feedParts } from './reading.ts'

const formats = Object.keys(FORMATS) as Format[]

const join = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString()

describe.each(formats)('a page in %s', (format) => {
  test('is made once', async () => {
    const page = createPage(feedParts(1))
    expect(await page.body(`identity ${format}`)).toBe(await page.body(`identity ${format}`))
    expect(await page.body(`gzip ${format}`)).toBe(await page.body(`gzip ${format}`))
  })

  test('is made again after a failure', async () => {
    const [part] = feedParts(1)
    if (part === undefined) throw new Error('a part is required')
    let failures = 1
    const failing = {
      ...part,
      get families() {
        if (failures-- > 0) throw new Error('out of memory')
        return part.families
      },
    }
    const page = createPage([failing])
    await expect(page.body(`gzip ${format}`)).rejects.toThrow('out of memory')
    await expect(page.body(`gzip ${format}`)).resolves.toHaveProperty('pieces')
  })

  test('has the same text in every encoding, whatever the number of its pieces', async () => {
    const many = createPage(Array.from({ length: 200 }, () => feedParts(2)).flat())
    for (const page of [many, createPage(feedParts(2))]) {
      const text = page.text(format)
      const gzip = await page.body(`gzip ${format}`)
      expect(gunzipSync(Buffer.concat(endGzip(gzip, compressTail(Buffer.alloc(0))))).toString()).toBe(text)
      expect(join((await page.body(`identity ${format}`)).pieces)).toBe(text)
    }
    expect((await many.body(`gzip ${format}`)).pieces.length).toBeGreaterThan(1)
  })
})

test('series are counted over all parts', () => {
  const parts = [...feedParts(3), renderPart(new Map([['sds_node_disks', [{ labels: 'a="b"', value: 3 }]]]))]
  const page = createPage(parts)
  expect(page.series).toBe(parseExposition(page.text('text')).length)
  expect(createPage([]).series).toBe(0)
})

test('an OpenMetrics exposition ends with the line that its specification demands', () => {
  const text = `${createPage(feedParts(1)).text('openmetrics')}${OPENMETRICS_END}`
  expect(text.endsWith('\n# EOF\n')).toBe(true)
})

test('the requested forms are listed, each once', async () => {
  const page = createPage(feedParts(1))
  expect([...page.requestedForms]).toEqual([])
  await page.body('identity text')
  await page.body('identity text')
  await page.body('gzip openmetrics')
  expect([...page.requestedForms]).toEqual(['identity text', 'gzip openmetrics'])
})
