import { expect, test } from 'vitest'
import { parseSeconds, parseTime } from '../../../../src/commands/cli/flags/table.ts'
import { timeText } from '../../../../src/time_units.ts'

const NOW = Date.parse('2026-03-11T12:34:56.789Z')

test.each([
  ['now', '2026-03-11T12:34:56Z'],
  ['-30d', '2026-02-09T12:34:56Z'],
  ['-1h', '2026-03-11T11:34:56Z'],
  ['1772323200', '2026-03-01T00:00:00Z'],
  ['2026-03-01', '2026-03-01T00:00:00Z'],
  ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'],
  ['2026-03-01t12:00:00.5+01:00', '2026-03-01T11:00:00Z'],
  ['2026-03-01 12:00Z', '2026-03-01T12:00:00Z'],
])('%s is %s', (text, expected) => {
  expect(timeText(parseTime(text, NOW))).toBe(expected)
})

test.each([
  '',
  'yesterday',
  '-30',
  '30d',
  '2026-13-01',
  '2026-02-30',
  '2026-02-30T12:00:00Z',
  '2026-03-01T12:00:00',
  '-99999w',
  '1e9',
])('refuses "%s"', (text) => expect(() => parseTime(text, NOW)).toThrow('Expected a time such as'))

test('durations are whole seconds', () => {
  expect([parseSeconds('5m'), parseSeconds('1500s'), parseSeconds('2000ms')]).toEqual([300, 1500, 2])
  for (const text of ['500ms', '1500ms', '0s', '5', '']) {
    expect(() => parseSeconds(text)).toThrow('whole seconds')
  }
})
