import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { milliseconds, scaleDuration, scaleExpression } from '../../../grafana/mixin/promql/duration.ts'
import { renderRules } from '../../../grafana/mixin/rules/rules.ts'

test.each([
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1d', 86_400_000],
])('%s is %d ms', (text, expected) => expect(milliseconds(text)).toBe(expected))

test.each(['', '15', 'm', '15 m', '-5m', '1.5h'])('"%s" is no duration', (text) => {
  expect(() => milliseconds(text)).toThrow('not a duration')
})

test.each([
  ['15m', 1, '15m'],
  ['15m', 1 / 60, '15000ms'],
  ['1m', 1 / 3_600_000, '1ms'],
  ['1h', 2.5, '9000000ms'],
])('%s times %f is %s', (text, scale, expected) => expect(scaleDuration(text, scale)).toBe(expected))

test('ranges, offsets and steps of an expression are scaled, numbers and strings are not', () => {
  const expr =
    'predict_linear(a:b:c[6h], 86400) > 0.9 and x{y="15m"} offset 3h and max_over_time(z[1d:5m]) > 900'
  expect(scaleExpression(expr, 1 / 60)).toBe(
    'predict_linear(a:b:c[360000ms], 86400) > 0.9 and x{y="15m"} offset 180000ms and max_over_time(z[1440000ms:5000ms]) > 900',
  )
  expect(scaleExpression(expr, 1)).toBe(expr)
})

interface Group {
  readonly interval: string
  readonly rules: readonly {
    readonly for?: string
    readonly keep_firing_for?: string
    readonly expr: string
  }[]
}
const rendered = (scale?: number): Group[] =>
  renderRules(scale === undefined ? {} : { scale }).flatMap(({ text }) => parse(text).groups as Group[])
/** Every duration of a group, in the order of the text. */
const durations = ({ interval, rules }: Group): number[] =>
  [
    interval,
    ...rules.flatMap((rule) => [rule.for ?? [], rule.keep_firing_for ?? []].flat()),
    ...rules.flatMap(({ expr }) => [...expr.matchAll(/(?:\[|offset )(\w+)/g)].map(([, text = '']) => text)),
  ].map(milliseconds)

describe('rules rendered for a test', () => {
  test('have all durations scaled and nothing else changed', () => {
    const whole = rendered()
    const scaled = rendered(1 / 60)
    expect(scaled.flatMap(durations)).toEqual(whole.flatMap(durations).map((ms) => Math.round(ms / 60)))
    const plain = (groups: Group[]) => JSON.stringify(groups).replaceAll(/\b\d+(ms|s|m|h|d)\b/g, 'T')
    expect(plain(scaled)).toBe(plain(whole))
  })

  test('are the shipped ones with scale 1', () => {
    expect(renderRules({ scale: 1 })).toEqual(renderRules())
  })
})
