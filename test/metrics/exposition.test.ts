import fc from 'fast-check'
import { Gauge, Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import {
  escapeLabelValue,
  familyHeader,
  labelText,
  renderPart,
  sampleLines,
} from '../../src/metrics/exposition.ts'
import { FEED_FAMILIES } from '../../src/metrics/families.ts'
import { createPage } from '../../src/metrics/page.ts'
import { feedSamples, forecastSamples } from '../../src/metrics/samples.ts'
import { checkMetrics } from '../support/promtool.ts'
import { parseExposition } from './exposition_text.ts'
import { feedReading } from './reading.ts'

const LABELS = { system: 'frank"furt', poolId: 'urn:storageos:VirtualArray:1', pool: 'pool\\a' }

function feedParts(nodes: number) {
  const reading = feedReading(nodes)
  const forecasts = new Map(reading.nodes.map(({ id, forecasts }) => [id, forecasts]))
  return [renderPart(feedSamples(reading, LABELS)), renderPart(forecastSamples(reading, forecasts, LABELS))]
}

/** The same figures, given to prom-client as gauges. */
async function printedByPromClient(text: string): Promise<string> {
  const registry = new Registry()
  const gauges = new Map(
    FEED_FAMILIES.map(({ name, help, labels }) => [
      name,
      new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    ]),
  )
  for (const { name, labels, value } of parseExposition(text)) gauges.get(name)?.set({ ...labels }, value)
  return registry.metrics()
}

describe('exposition', () => {
  test('is byte for byte what prom-client prints for the same gauges', async () => {
    const text = createPage(feedParts(7)).identity('text').toString()
    expect(parseExposition(text).length).toBeGreaterThan(400)
    expect(text).toBe(await printedByPromClient(text))
  })

  test('has a family for every row of the table and passes promtool', async () => {
    const text = createPage(feedParts(3)).identity('text').toString()
    for (const { name } of FEED_FAMILIES) expect(text).toContain(`# TYPE ${name} gauge\n`)
    const { code, stdout, stderr } = await checkMetrics(text)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('joins the parts of several pools family by family', () => {
    const [first = new Map()] = feedParts(1)
    const other = renderPart(new Map([['sds_node_disks', [{ labels: 'system="b"', value: 3 }]]]))
    const lines = createPage([first, other]).identity('text').toString().split('\n')
    const at = lines.indexOf('sds_node_disks{system="b"} 3')
    expect(lines[at - 1]).toMatch(/^sds_node_disks\{/)
    expect(lines.filter((line) => line.startsWith('# TYPE sds_node_disks '))).toHaveLength(1)
  })

  test('writes OpenMetrics with units, without empty lines, and counters without _total in their header', () => {
    const text = createPage(feedParts(1)).identity('openmetrics').toString()
    expect(text).toContain('# UNIT sds_node_disk_space_free_bytes bytes\n')
    expect(text).not.toContain('\n\n')
    const counter = { name: 'a_total', help: 'say "x"\n', type: 'counter', unit: '' } as const
    expect(familyHeader(counter, 'openmetrics')).toBe('# HELP a say \\"x\\"\\n\n# TYPE a counter\n')
    expect(familyHeader(counter, 'text')).toBe('# HELP a_total say "x"\\n\n# TYPE a_total counter\n')
  })

  test.each(FEED_FAMILIES.filter(({ unit }) => unit !== '').map(({ name, unit }) => [name, unit]))(
    '%s ends with its unit %s',
    (name, unit) => expect(name.endsWith(`_${unit}`)).toBe(true),
  )

  test.each([
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [1.5434643250766666e13, '15434643250766.666'],
    [1e21, '1e+21'],
    [0, '0'],
  ])('writes %d as %s', (value, text) => {
    expect(sampleLines('x', [{ labels: '', value }])).toBe(`x ${text}\n`)
  })

  test('writes times behind values', () => {
    expect(sampleLines('x', [{ labels: 'a="b"', value: 1, t: 1785312642 }])).toBe('x{a="b"} 1 1785312642\n')
  })

  test('gives any label value back, half surrogate pairs replaced', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const [series] = parseExposition(sampleLines('x', [{ labels: labelText({ a: value }), value: 1 }]))
        expect(series?.labels['a']).toBe(value.toWellFormed())
      }),
    )
    expect(escapeLabelValue('lone \ud800')).toBe('lone \ufffd')
  })
})
