import { describe, expect, test } from 'vitest'
import { javaDouble } from '../../src/emulator/feed/attributes.ts'
import { call, feedPath, type Json, nodesOf, startEmulator } from './client.ts'

describe("Java's Double.toString", () => {
  // Output of Java; 1.5434643250766666E13 is from a real system.
  test.each([
    [0, '0.0'],
    [1, '1.0'],
    [12.5, '12.5'],
    [100, '100.0'],
    [0.001, '0.001'],
    [0.000999, '9.99E-4'],
    [0.0002, '2.0E-4'],
    [9_999_999, '9999999.0'],
    [10_000_000, '1.0E7'],
    [15_434_643_250_766.666, '1.5434643250766666E13'],
    [124_504_835.32044892, '1.2450483532044892E8'],
    [-2.5, '-2.5'],
  ])('of %d is %s', (value, text) => {
    expect(javaDouble(value)).toBe(text)
  })
})

test('the documented profile uses each notation in one response', async () => {
  const emulator = await startEmulator()
  const { text } = await call(emulator, feedPath(emulator, 'dataType=current'))
  const values = [...text.matchAll(/"(?:Space|Percent|Bandwidth|diskIO|TPS)":("?)([\d.e-]+)"?/g)]
  const form = (number: string) =>
    number.includes('e') ? 'exponential' : number.includes('.') ? 'decimal' : 'plain'
  const used = new Set(
    values.map(([, quote, number = '']) => `${quote === '' ? 'number' : 'string'} ${form(number)}`),
  )
  const forms = ['plain', 'decimal', 'exponential']
  expect([...used].sort()).toEqual(forms.flatMap((name) => [`number ${name}`, `string ${name}`]).sort())
  const times = new Set([...text.matchAll(/"t":("?)\d+/g)].map(([, quote]) => quote))
  expect(times.size).toBe(2)
})

describe('real systems', () => {
  test.each(['classic', 'modern'] as const)('write only strings: %s', async (profile) => {
    const emulator = await startEmulator({ profile })
    const others = new Set<string>()
    const visit = (value: Json): void => {
      if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
      else others.add(typeof value)
    }
    visit(await nodesOf(emulator))
    expect([...others]).toEqual(['string'])
  })

  test('write bytes as longs and other values as doubles', async () => {
    const [node] = await nodesOf(await startEmulator({ profile: 'classic' }))
    expect(node.diskSpaceTotalCurrent[0].Space).toMatch(/^\d+$/)
    expect(node.diskSpaceTotalSummary.Avg).toMatch(/^\d\.\d+E1[45]$/)
    expect(node.nodeCpuUtilizationCurrent[0].Percent).toMatch(/^\d+\.\d+$/)
  })
})
