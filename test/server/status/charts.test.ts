import { expect, test } from 'vitest'
import { charts } from '../../../src/server/status/page/charts.ts'

const MINUTE_SLOTS = 4
const polls = {
  schedule: '',
  stale_after_seconds: 300,
  last_timestamp_seconds: null,
  next_timestamp_seconds: null,
}

/** The commands of the line of a value that is new every 15 minutes. */
function lineAt(interval_seconds: number | null, stale_after_seconds = 300): string | undefined {
  const slots = Array.from({ length: 60 * MINUTE_SLOTS }, (_, index) =>
    index % (15 * MINUTE_SLOTS) === 0 ? 0.5 : undefined,
  )
  const history = (column: string) =>
    column === 'disk_space_allocated_ratio' ? slots : slots.map(() => undefined)
  const page = charts(history, { ...polls, interval_seconds, stale_after_seconds })
  return / d="([^"]*)"/.exec(page?.text ?? '')?.[1]?.replace(/[^A-Za-z]/g, '')
}

test.each([
  ['is a line when the system is polled as often', 900, 300, 'MhLLL'],
  ['is dots when polls are missing', 60, 300, 'MhMhMhMh'],
  ['is a line without a schedule, if values are kept as long', null, 900, 'MhLLL'],
])('the chart of a value of every 15 minutes %s', (_, interval, staleAfter, line) => {
  expect(lineAt(interval, staleAfter)).toBe(line)
})
