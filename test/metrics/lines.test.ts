import fc from 'fast-check'
import { Gauge, Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { createExposition } from '../../src/metrics/exposition.ts'
import { FEED_FAMILIES } from '../../src/metrics/families.ts'
import { createPart, escapeLabelValue, familyHeader, labelText, sampleLine } from '../../src/metrics/lines.ts'
import { parseExposition } from './exposition_text.ts'
import { feedParts } from './reading.ts'

/** The families of the dashboard API; only the Flux API has single network interfaces. */
const GAUGES = FEED_FAMILIES.filter(({ name, type }) => type === 'gauge' && !name.includes('_interface_'))

/** The same figures, given to prom-client as gauges. */
async function printedByPromClient(text: string): Promise<string> {
  const registry = new Registry()
  const gauges = new Map(
    GAUGES.map(({ name, help, labels }) => [
      name,
      new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    ]),
  )
  for (const { name, labels, value } of parseExposition(text)) gauges.get(name)?.set({ ...labels }, value)
  return registry.metrics()
}

describe('exposition', () => {
  test('is byte for byte what prom-client prints for the same gauges', async () => {
    const text = createExposition(feedParts(7)).text('text')
    expect(parseExposition(text).length).toBeGreaterThan(400)
    // The families of the exporter itself follow after an empty line.
    expect(text).toBe(`${await printedByPromClient(text)}\n`)
  })

  test('has a family for every row of the table', () => {
    const text = createExposition(feedParts(3)).text('text')
    for (const { name } of GAUGES) expect(text).toContain(`# TYPE ${name} gauge\n`)
  })

  test('joins the parts of several pools family by family', () => {
    const parts = feedParts(1)
    const other = createPart((add) => add('sds_node_disks', 'system="b"', 3))
    const lines = createExposition([...parts, other])
      .text('text')
      .split('\n')
    const at = lines.indexOf('sds_node_disks{system="b"} 3')
    expect(lines[at - 1]).toMatch(/^sds_node_disks\{/)
    expect(lines.filter((line) => line.startsWith('# TYPE sds_node_disks '))).toHaveLength(1)
  })

  test('writes OpenMetrics with units, without empty lines, and the same series as text', () => {
    const text = createExposition(feedParts(1)).text('openmetrics')
    expect(text).toContain('# UNIT sds_node_disk_space_free_bytes bytes\n')
    expect(text).not.toContain('\n\n')
    expect(parseExposition(text)).toEqual(parseExposition(createExposition(feedParts(1)).text('text')))
  })

  test.each([
    ['counter', 'a_total_b_total', 'openmetrics', 'a_total_b'],
    ['counter', 'a_total', 'text', 'a_total'],
    ['gauge', 'a_total', 'openmetrics', 'a_total'],
  ] as const)('names the family of the %s %s in %s %s', (type, name, format, expected) => {
    expect(familyHeader({ name, help: 'h', type, unit: '' }, format)).toBe(
      `# HELP ${expected} h\n# TYPE ${expected} ${type}\n`,
    )
  })

  test.each([
    ['text', '# HELP a say "x" or \\\\\\n\n# TYPE a gauge\n'],
    ['openmetrics', '# HELP a say \\"x\\" or \\\\\\n\n# TYPE a gauge\n'],
  ] as const)('escapes help in %s', (format, header) => {
    const family = { name: 'a', help: 'say "x" or \\\n', type: 'gauge', unit: '' } as const
    expect(familyHeader(family, format)).toBe(header)
  })

  test.each(FEED_FAMILIES.filter(({ unit }) => unit !== '').map(({ name, unit }) => [name, unit]))(
    '%s ends with its unit %s',
    (name, unit) => expect(name.replace(/_total$/, '').endsWith(`_${unit}`)).toBe(true),
  )

  test.each([
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [1.5434643250766666e13, '15434643250766.666'],
    [1e21, '1e+21'],
    [0, '0'],
  ])('writes %d as %s', (value, text) => {
    expect(sampleLine('x', '', value)).toBe(`x ${text}\n`)
    expect(sampleLine('x', 'a="b",c="d"', value)).toBe(`x{a="b",c="d"} ${text}\n`)
  })

  test.each([
    ['"', '\\"'],
    ['\\', '\\\\'],
    ['\n', '\\n'],
    ['plain', 'plain'],
    ['"a"\\b\n', '\\"a\\"\\\\b\\n'],
  ])('escapes the label value %j', (value, escaped) => expect(escapeLabelValue(value)).toBe(escaped))

  test('gives any label value back, half surrogate pairs replaced', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const [series] = parseExposition(sampleLine('x', labelText({ a: value }), 1))
        expect(series?.labels['a']).toBe(value.toWellFormed())
      }),
    )
    expect(escapeLabelValue('lone \ud800')).toBe('lone \ufffd')
  })
})
