import { expect, test } from 'vitest'
import { createReporter } from '../../../src/commands/backfill/backfill.ts'

function reporterOn(isTTY: boolean) {
  let now = 0
  const written: string[] = []
  const reporter = createReporter({ isTTY, write: (text) => written.push(text) }, () => now)
  return { reporter, written, at: (ms: number) => (now = ms) }
}

test('a terminal shows what is done, and the time left, in one line', () => {
  const { reporter, written, at } = reporterOn(true)
  for (const [ms, done] of [
    [0, 40],
    [10_000, 50],
    [10_100, 60],
  ] as const) {
    at(ms)
    reporter.show({ done, total: 100, samples: 1_200_000 })
  }
  expect(written).toEqual(['\r\u001b[2K50.0%, 1.2M samples, 50s left'])
})

test('without a terminal, there are only lines that stay', () => {
  const { reporter, written, at } = reporterOn(false)
  at(10_000)
  reporter.show({ done: 1, total: 2, samples: 1 })
  reporter.line('done')
  expect(written).toEqual(['done\n'])
})
