import { expect, test } from 'vitest'
import { milliseconds } from '../../../grafana/mixin/promql/duration.ts'

test.each([
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1d', 86_400_000],
])('%s is %d ms', (text, expected) => expect(milliseconds(text)).toBe(expected))

test.each(['', '15', 'm', '15 m', '-5m', '1.5h'])('"%s" is no duration', (text) => {
  expect(() => milliseconds(text)).toThrow('not a duration')
})
