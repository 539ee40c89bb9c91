import { expect, test } from 'vitest'
import { scaleExpression } from './scaled.ts'

test('ranges, offsets and steps of an expression are scaled, numbers and strings are not', () => {
  const expr =
    'predict_linear(a:b:c[6h], 86400) > 0.9 and x{y="15m"} offset 3h and max_over_time(z[1d:5m]) > 900'
  expect(scaleExpression(expr, 1 / 60)).toBe(
    'predict_linear(a:b:c[360000ms], 86400) > 0.9 and x{y="15m"} offset 180000ms and max_over_time(z[1440000ms:5000ms]) > 900',
  )
})
