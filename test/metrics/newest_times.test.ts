import { expect, test } from 'vitest'
import { decodeFeed } from '../../src/api/feed/feed.ts'
import { newestTimes } from '../../src/metrics/samples.ts'

/** One node that serves these members. */
function readingOf(members: Record<string, unknown>) {
  return decodeFeed({ _embedded: { instances: [{ id: 'n1', ...members }] } })
}

test('each category has the newest time of what belongs to it, rates of error types among them', () => {
  const reading = readingOf({
    diskSpaceFreeCurrent: [{ t: '1785312600', Space: '1' }],
    diskSpaceTotalCurrent: [{ t: '1785312642', Space: '2' }],
    transactionErrorsCurrent: {
      all: [{ t: '1785312500', Rate: '7' }],
      types: [
        {
          errorType: '404',
          category: 'User',
          errorCount: '1',
          errorRate: [{ t: '1785312660', Rate: '7' }],
        },
      ],
    },
  })
  const times = reading.nodes.map((node) => Object.fromEntries(newestTimes(node)))
  expect(times).toEqual([{ capacity: 1_785_312_642, traffic: 1_785_312_660 }])
})

test('error types without a rate, and no rate of all, give no time', () => {
  const types = [{ errorType: '404', category: 'User', errorCount: '1' }]
  const { nodes } = readingOf({ transactionErrorsCurrent: { types } })
  expect(nodes.map((node) => newestTimes(node).size)).toEqual([0])
})

test('a node that serves nothing has no times', () => {
  expect(readingOf({}).nodes.map((node) => newestTimes(node).size)).toEqual([0])
})
