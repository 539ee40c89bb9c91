import { expect, test } from 'vitest'
import { risksOf } from '../../src/exporter/risks.ts'
import { configOf } from '../readings/setup.ts'

test.each([
  ['0 */5 * * * *', '5m', '5s', true],
  // The next poll begins up to the random delay later.
  ['0 */5 * * * *', '303s', '5s', true],
  ['0 */5 * * * *', '303s', '0s', false],
  // The pause over the night.
  ['0 */5 8-18 * * *', '12h', '5s', true],
  ['0 */5 8-18 * * *', '15h', '5s', false],
  ['', '5m', '5s', false],
])(
  'polls by "%s" with stale_after %s and max_random_delay %s are a risk: %s',
  (schedule, age, delay, isRisk) => {
    const poll = `poll: {schedule: "${schedule}", stale_after: ${age}, max_random_delay: ${delay}}`
    const texts = risksOf(configOf(`${poll}\nperformance: {source: feed}`), 'test.yml').map(
      ({ text }) => text,
    )
    expect(texts.some((text) => text.includes('poll.stale_after removes values'))).toBe(isRisk)
  },
)
