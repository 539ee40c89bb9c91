import { expect, test, vi } from 'vitest'
import { createReporter, progressText } from '../../../src/commands/backfill/progress.ts'

const HALF = [{ done: 450, total: 900 }]
const SAMPLES = 1_200_000

test('shows the range done, samples, rate and time left', () => {
  expect(progressText(HALF, SAMPLES, 10)).toBe(
    '[############............] 50.0%, 1.2M samples, 120K/s, 10s left',
  )
})

test('shows the time left of the slowest system, once each has begun', () => {
  const fast = { done: 90, total: 100 }
  expect(progressText([fast, { done: 10, total: 100 }], 0, 10)).toContain('50.0%, 0 samples, 0/s, 90s left')
  expect(progressText([fast, { done: 0, total: 100 }], 0, 10)).not.toContain('left')
  expect(progressText([fast, { done: 100, total: 100 }], 0, 10, [80, 100])).toContain(', 10s left')
})

function reporterOn(isTTY: boolean, columns?: number) {
  let now = 0
  const written: string[] = []
  const reporter = createReporter(
    { isTTY, ...(columns !== undefined && { columns }), write: (text) => written.push(text) },
    () => now,
  )
  return { reporter, written, at: (ms: number) => (now = ms) }
}

test('on a terminal replaces one line, several times a second', () => {
  const { reporter, written, at } = reporterOn(true)
  for (const ms of [0, 100, 250, 300, 500]) {
    at(ms)
    reporter.show(HALF, SAMPLES)
  }
  expect(written).toHaveLength(2)
  for (const text of written) {
    expect(text.startsWith('\r\u001b[2K[#')).toBe(true)
    expect(text).toContain('] 50.0%')
    expect(text).not.toContain('\n')
  }
})

test('without a terminal writes a line every ten seconds', () => {
  const { reporter, written, at } = reporterOn(false)
  for (let seconds = 0; seconds <= 25; seconds += 1) {
    at(seconds * 1000)
    reporter.show(HALF, SAMPLES)
  }
  expect(written).toHaveLength(2)
  for (const text of written) expect(text).toMatch(/^\[#+\.+\] 50\.0%.*\n$/)
})

test('a terminal of type dumb gets lines, without control sequences', () => {
  vi.stubEnv('TERM', 'dumb')
  try {
    const { reporter, written, at } = reporterOn(true)
    at(10_000)
    reporter.show(HALF, SAMPLES)
    reporter.line('done')
    expect(written.join('')).toMatch(/^\[#+\.+\] 50\.0%.*\ndone\n$/)
  } finally {
    vi.unstubAllEnvs()
  }
})
