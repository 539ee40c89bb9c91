import { expect, test } from 'vitest'
import { RECORDED } from '../../../grafana/mixin/promql/metrics.ts'
import { RECORDINGS } from '../../../grafana/mixin/rules/groups/recording.ts'
import { PROCESS_METRICS } from '../../../src/metrics/families.ts'
import { createOwnMetrics } from '../../../src/metrics/own.ts'

test('every recorded series has its rule', () => {
  const recorded = RECORDINGS.map(({ record }) => record)
  expect(recorded.toSorted()).toEqual(Object.values(RECORDED).toSorted())
})

test('prom-client exports the metrics of the process that are selected', async () => {
  const text = await createOwnMetrics({ version: '', nodeVersion: '' }).render('text')
  for (const [name, type] of Object.entries(PROCESS_METRICS)) {
    expect(text).toContain(`# TYPE ${name} ${type}\n`)
  }
})
