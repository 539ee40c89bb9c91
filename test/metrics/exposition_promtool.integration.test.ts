import { expect, test } from 'vitest'
import { createExposition } from '../../src/metrics/exposition.ts'
import { checkMetrics } from '../support/promtool.ts'
import { feedParts } from './reading.ts'

test('promtool accepts the exposition of every family of the feed', async () => {
  const text = createExposition(feedParts(3)).text('text')
  const { code, stdout, stderr } = await checkMetrics(text)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' })
})
