import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createExposition, endGzip } from '../../src/metrics/exposition.ts'
import {
  type Body,
  createPart,
  END,
  FORMATS,
  type Format,
  labelsIn,
  labelText,
} from '../../src/metrics/lines.ts'
import { parseExposition } from './exposition_text.ts'
import { feedParts } from './reading.ts'

const formats = Object.keys(FORMATS) as Format[]

const join = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString()
const unzipped = (body: Body) => gunzipSync(Buffer.concat(endGzip(body, Buffer.alloc(0)))).toString()

describe.each(formats)('an exposition in %s', (format) => {
  test('is made once', async () => {
    const exposition = createExposition(feedParts(1))
    expect(await exposition.body(`identity ${format}`)).toBe(await exposition.body(`identity ${format}`))
    expect(await exposition.body(`gzip ${format}`)).toBe(await exposition.body(`gzip ${format}`))
  })

  test('is made again after a failure', async () => {
    const [part] = feedParts(1)
    if (part === undefined) throw new Error('a part is required')
    let failures = 1
    const failing = {
      ...part,
      get content() {
        if (failures-- > 0) throw new Error('out of memory')
        return part.content
      },
    }
    const exposition = createExposition([failing])
    await expect(exposition.body(`gzip ${format}`)).rejects.toThrow('out of memory')
    await expect(exposition.body(`gzip ${format}`)).resolves.toHaveProperty('pieces')
  })

  test('has the same text in every encoding, whatever the number of its pieces', async () => {
    const many = createExposition(Array.from({ length: 200 }, () => feedParts(2)).flat())
    const long = createPart((add) => {
      for (let value = 0; value < 50_000; value += 1) add('sds_node_disks', `node="n${value}"`, value)
    })
    const large = createExposition([...feedParts(2), long, long])
    const wide = createPart((add) => {
      for (const name of ['a', 'é'.repeat(2_000_000), 'b']) add('sds_node_disks', `node="${name}"`, 1)
    })
    expect(parseExposition(createExposition([wide]).text(format))).toHaveLength(3)
    for (const exposition of [many, large, createExposition([wide]), createExposition(feedParts(2))]) {
      const text = exposition.text(format)
      const gzip = await exposition.body(`gzip ${format}`)
      expect(unzipped(gzip)).toBe(text)
      expect(join((await exposition.body(`identity ${format}`)).pieces)).toBe(text)
    }
    expect((await many.body(`identity ${format}`)).pieces.length).toBeGreaterThan(1)
  })
})

test.each(formats)('a header is whole wherever a piece ends, in %s', async (format) => {
  for (let left = 0; left < 600; left += 20) {
    const part = createPart((add) => {
      add('sds_node_disks', `node="${'n'.repeat(512 * 1024 - left)}"`, 1)
      add('sds_node_disk_space_free_bytes', 'node="n"', 1)
    })
    const exposition = createExposition([part])
    const { pieces } = await exposition.body(`identity ${format}`)
    expect(pieces).toHaveLength(1)
    expect(join(pieces) === exposition.text(format)).toBe(true)
    expect(unzipped(await exposition.body(`gzip ${format}`)) === exposition.text(format)).toBe(true)
  }
})

test.each(formats)('the series of nodes are not made again when others change, in %s', async (format) => {
  const nodes = feedParts(3)
  const release = (version: string) =>
    createPart((add) => add('sds_system_info', `system="a",version="${version}"`, 1))
  const first = createExposition([...nodes, release('3.8.1')])
  const second = createExposition([...nodes, release('3.8.1.10')], undefined, first)
  const third = createExposition([...feedParts(3), release('4.0')], undefined, second)
  const found: (Buffer | undefined)[] = []
  for (const exposition of [first, second, third]) {
    const [gzip, identity] = [
      await exposition.body(`gzip ${format}`),
      await exposition.body(`identity ${format}`),
    ]
    expect(unzipped(gzip)).toBe(exposition.text(format))
    expect(join(identity.pieces)).toBe(exposition.text(format))
    found.push(gzip.pieces[0], identity.pieces[0])
  }
  expect(found[2]).toBe(found[0])
  expect(found[3]).toBe(found[1])
  expect(found[4]).not.toBe(found[0])
})

test('the series have the labels and values of the text', () => {
  const labels = { node: '"n\\\\" \n{,="}', a: '' }
  const part = createPart((add) => {
    add('sds_node_disks', labelText(labels), 1.5)
    add('sds_node_disks', labelText(labels), Number.POSITIVE_INFINITY, ',status="a,b"')
    add('sds_node_transaction_latency_seconds_bucket', labelText(labels), 2, ',le="+Inf"')
  })
  const parts = [...feedParts(2), part, part]
  const found = [...createExposition(parts).families()].flatMap(({ series }) => series)
  expect(found).toEqual(parts.flatMap((one) => parseExposition(createExposition([one]).text('text'))))
  expect(found).toContainEqual({
    name: 'sds_node_disks',
    labels: { ...labels, status: 'a,b' },
    value: Infinity,
  })
})

test('a long label is parsed in a time in proportion to its length', () => {
  const value = '\\'.repeat(2_000_000)
  expect(labelsIn(labelText({ a: value }))).toEqual({ a: value })
})

test('series are counted over all parts', () => {
  const parts = [...feedParts(3), createPart((add) => add('sds_node_disks', 'a="b"', 3))]
  const exposition = createExposition(parts)
  expect(exposition.series).toBe(parseExposition(exposition.text('text')).length)
  expect(createExposition([]).series).toBe(0)
  const disks = exposition.only(new Set(['sds_node_disks']))
  expect(disks.series).toBe(parseExposition(disks.text('text')).length)
})

test('an OpenMetrics exposition ends with the line that its specification demands', () => {
  const text = `${createExposition(feedParts(1)).text('openmetrics')}${END.openmetrics}`
  expect(text.endsWith('\n# EOF\n')).toBe(true)
})
