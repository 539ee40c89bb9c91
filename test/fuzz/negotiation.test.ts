import fc from 'fast-check'
import { expect } from 'vitest'
import { acceptsGzip, chooseFormat } from '../../src/server/metrics/negotiation.ts'
import { mutatedText, textOfPieces } from './support/arbitraries.ts'
import { fuzz } from './support/fuzz.ts'

const HEADERS = [
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'gzip, deflate, br;q=0.5, *;q=0',
]
const PIECES = [
  'application/openmetrics-text',
  'text/plain',
  'text/*',
  '*/*',
  '*',
  'gzip',
  'x-gzip',
  ';',
  ',',
  'q=',
  'q=0',
  'q=1',
  '0.',
  '=',
  ' ',
  '\t',
  'version=',
  '1.0.0',
  'Q',
  '-1',
  '1e9',
]

fuzz('Accept and Accept-Encoding', {
  corpus: 'negotiation',
  input: fc.oneof(mutatedText(HEADERS, PIECES), textOfPieces(PIECES)),
  runs: 1000,
  check: (header) => {
    const format = chooseFormat(header)
    expect(['text', 'openmetrics']).toContain(format)
    if (format === 'openmetrics') expect(header.toLowerCase()).toMatch(/application\/openmetrics-text|\*\/\*/)
    if (acceptsGzip(header)) expect(header).toMatch(/gzip|\*/i)
  },
})

interface Choice {
  readonly name: string
  /** In thousandths. */
  readonly quality: number
}

const choices = (names: readonly string[]) =>
  fc
    .array(fc.record({ name: fc.constantFrom(...names), quality: fc.integer({ min: 0, max: 1000 }) }), {
      maxLength: 6,
    })
    .map((list) => JSON.stringify(list))

function headerOf(list: readonly Choice[]): string {
  return list.map(({ name, quality }) => `${name}; q=${(quality / 1000).toFixed(3)}`).join(', ')
}

const OPENMETRICS = 'application/openmetrics-text'

fuzz('well-formed Accept', {
  corpus: 'accept',
  input: choices([OPENMETRICS, 'text/plain', 'text/*', 'application/*', '*/*', 'application/json']),
  runs: 500,
  check: (json) => {
    const list: Choice[] = JSON.parse(json)
    /** The quality of the most specific range that matches. */
    const quality = (...ranges: readonly string[]) => {
      const matching = ranges.map((range) => list.filter(({ name }) => name === range))
      const mostSpecific = matching.find(({ length }) => length > 0) ?? []
      return Math.max(0, ...mostSpecific.map((choice) => choice.quality))
    }
    const text = quality('text/plain', 'text/*', '*/*')
    const openmetrics = quality(OPENMETRICS, 'application/*', '*/*')
    if (openmetrics !== text)
      expect(chooseFormat(headerOf(list))).toBe(openmetrics > text ? 'openmetrics' : 'text')
  },
})

fuzz('well-formed Accept-Encoding', {
  corpus: 'accept_encoding',
  input: choices(['gzip', '*', 'br', 'identity']),
  runs: 500,
  check: (json) => {
    const list: Choice[] = JSON.parse(json)
    const named = list.filter(({ name }) => name === 'gzip')
    const matching = named.length > 0 ? named : list.filter(({ name }) => name === '*')
    expect(acceptsGzip(headerOf(list))).toBe(matching.some(({ quality }) => quality > 0))
  },
})
