import fc from 'fast-check'
import { expect } from 'vitest'
import { acceptsGzip, chooseFormat } from '../../src/server/metrics/negotiation.ts'
import { fuzz } from './support/fuzz.ts'

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
  runs: 50,
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
  runs: 50,
  check: (json) => {
    const list: Choice[] = JSON.parse(json)
    const named = list.filter(({ name }) => name === 'gzip')
    const matching = named.length > 0 ? named : list.filter(({ name }) => name === '*')
    expect(acceptsGzip(headerOf(list))).toBe(matching.some(({ quality }) => quality > 0))
  },
})
