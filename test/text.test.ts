import { describe, expect, test } from 'vitest'
import {
  bytesText,
  counted,
  countText,
  durationText,
  latencyText,
  percentText,
  shortened,
  storageText,
  visibleLines,
  visibleText,
} from '../src/text.ts'

test.each([
  [0, '0'],
  [0.04, '0'],
  [12.34, '12.3'],
  [950, '950'],
  [999.96, '1K'],
  [1234, '1.2K'],
  [5e6, '5M'],
  [2.5e9, '2.5B'],
  [1e16, '10000T'],
])('%d is written as %s', (count, text) => {
  expect(countText(count)).toBe(text)
})

test.each([
  [0, '0s'],
  [119.9, '119s'],
  [120, '2m'],
  [7199, '119m'],
  [7200, '2h'],
  [172_799, '47h'],
  [172_800, '2d'],
  [-300, '-5m'],
])('a duration of %d seconds is written as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

test.each([
  [0.0004, '0 ms'],
  [0.6094, '609 ms'],
  [1, '1.0 s'],
  [12.34, '12.3 s'],
])('a latency of %d seconds is written as %s', (seconds, text) => {
  expect(latencyText(seconds)).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [999_940, '999.9 kB'],
  [999_960, '1.0 MB'],
  [90.64e12, '90.6 TB'],
  [5e21, '5000.0 EB'],
])('%d bytes are written as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [1024 ** 2 - 1, '1.0 MiB'],
  [90.64e12, '82.4 TiB'],
  [8 * 1024 ** 7, '8192.0 EiB'],
])('%d bytes of a storage system are written as %s', (bytes, text) => {
  expect(storageText(bytes)).toBe(text)
})

test('a ratio is a percentage, and a noun has its number', () => {
  expect(percentText(0.4521)).toBe('45.2%')
  expect([0, 1, 2].map((count) => counted(count, 'node'))).toEqual(['0 nodes', '1 node', '2 nodes'])
})

test('a text is shortened between characters', () => {
  expect(shortened('abc', 3)).toBe('abc')
  expect(shortened('abcd', 3)).toBe('abc')
  expect(shortened('ab😀', 3)).toBe('ab\ufffd')
})

describe('visible text', () => {
  test.each([
    ['C0 controls', 'a\u001b[2Jb\nc', 'a\\u001b[2Jb\\u000ac'],
    ['C1 controls', '\u0080\u0085\u009b\u009f', '\\u0080\\u0085\\u009b\\u009f'],
    ['bidirectional embeddings and overrides', '\u202a\u202e', '\\u202a\\u202e'],
    ['bidirectional isolates', '\u2066\u2069', '\\u2066\\u2069'],
    ['bidirectional marks', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
    ['zero-width characters', 'a\u200bb\u200d\ufeff', 'a\\u200bb\\u200d\\ufeff'],
    ['a soft hyphen and fillers', '\u00ad\u034f\u115f\u3164\ufe0f', '\\u00ad\\u034f\\u115f\\u3164\\ufe0f'],
    ['separators', '\u2028\u2029', '\\u2028\\u2029'],
    ['tag characters', '\u{e0041}', '\\udb40\\udc41'],
    ['half of a surrogate pair', 'a\ud800', 'a\\ud800'],
    ['no other text', 'Köln 東京 😀 \\ "é"', 'Köln 東京 😀 \\ "é"'],
  ])('has %s', (_what, text, visible) => {
    expect(visibleText(text)).toBe(visible)
  })

  test('of several lines keeps newlines, and the value of JSON', () => {
    const value = { 'a\u202e': 'line\nb\u009b\ud800' }
    const json = visibleLines(JSON.stringify(value, undefined, 2))
    expect(json).toBe('{\n  "a\\u202e": "line\\nb\\u009b\\ud800"\n}')
    expect(JSON.parse(json)).toEqual(value)
  })
})
