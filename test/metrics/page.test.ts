import { gunzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { FORMATS, type Format, OPENMETRICS_END, renderPart } from '../../src/metrics/exposition.ts'
import { beginGzip, compressTail, endGzip } from '../../src/metrics/gzip.ts'
import { createPage, type Form, warm } from '../../src/metrics/page.ts'
import { parseExposition } from './exposition_text.ts'
import { feedParts } from './reading.ts'

const formats = Object.keys(FORMATS) as Format[]

describe.each(formats)('a page in %s', (format) => {
  test('is rendered once', async () => {
    const page = createPage(feedParts(1))
    expect(page.identity(format)).toBe(page.identity(format))
    expect(await page.gzip(format)).toBe(await page.gzip(format))
  })

  test('is compressed again after a failure', async () => {
    const failing = vi.fn(beginGzip).mockRejectedValueOnce(new Error('out of memory'))
    const page = createPage(feedParts(1), failing)
    await expect(page.gzip(format)).rejects.toThrow('out of memory')
    await expect(page.gzip(format)).resolves.toHaveProperty('deflated')
    expect(failing).toHaveBeenCalledTimes(2)
  })

  test('has the same text when compressed', async () => {
    const page = createPage(feedParts(2))
    const member = endGzip(await page.gzip(format), compressTail(Buffer.alloc(0)))
    expect(gunzipSync(Buffer.concat(member)).toString()).toBe(page.identity(format).toString())
  })
})

test('series are counted over all parts', () => {
  const parts = [...feedParts(3), renderPart(new Map([['sds_node_disks', [{ labels: 'a="b"', value: 3 }]]]))]
  const page = createPage(parts)
  expect(page.series).toBe(parseExposition(page.identity('text').toString()).length)
  expect(createPage([]).series).toBe(0)
  expect(createPage([new Map([['sds_node_disks', '']])]).series).toBe(0)
})

test('an OpenMetrics exposition ends with the line that its specification demands', () => {
  const text = `${createPage(feedParts(1)).identity('openmetrics')}${OPENMETRICS_END}`
  expect(text.endsWith('\n# EOF\n')).toBe(true)
})

describe('requestedForms', () => {
  test('lists the forms that were used, each once', async () => {
    const page = createPage(feedParts(1))
    expect([...page.requestedForms]).toEqual([])
    page.identity('text')
    page.identity('text')
    await page.gzip('openmetrics')
    expect([...page.requestedForms]).toEqual(['identity text', 'gzip openmetrics'])
  })

  test('of one page can be made ready on the next', async () => {
    const forms: readonly Form[] = ['identity openmetrics', 'gzip text']
    const page = createPage(feedParts(1))
    await warm(page, forms)
    expect([...page.requestedForms]).toEqual(forms)
  })
})
