import { expect, test } from 'vitest'
import { createExposition } from '../../src/metrics/exposition.ts'
import { withForecasts, withPoll, withPools } from '../../src/state/changes.ts'
import { newSystem } from '../../src/state/state.ts'
import { systemParts } from '../../src/state/store.ts'
import { feedReading } from '../metrics/reading.ts'
import { checkMetrics } from '../support/promtool.ts'

test('promtool accepts the exposition of a system whose names need escaping', async () => {
  const reading = feedReading(7)
  const listed = withPools(newSystem('a "quoted" system'), [{ id: 'back\\slash', name: 'new\nline' }])
  const polled = withPoll(listed, 'back\\slash', { at: 1, seconds: 0.5, failure: undefined }, reading)
  const system = withForecasts(polled, 'back\\slash', '7d', reading)
  const text = createExposition(systemParts(system)).text('text')
  const { code, stdout, stderr } = await checkMetrics(text)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
})
