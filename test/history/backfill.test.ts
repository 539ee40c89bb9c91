import { expect, test } from 'vitest'
import { ApiError } from '../../src/api/errors/errors.ts'
import type { Destination } from '../../src/history/output/destination.ts'
import { type RunProgress, runBackfill } from '../../src/history/run/run.ts'
import type { HistorySource } from '../../src/history/sources/source.ts'
import { never } from '../api/http/responses.ts'
import { waitFor } from '../support/wait.ts'

const PERIOD = { start: 0, end: 3000, interval: 300 }
const WINDOWS = 10

/** One sample in each window. @param answer what a request waits for */
function sourceOf(system: string, answer: (start: number) => Promise<void>): HistorySource {
  return {
    key: system,
    system,
    label: 'pool hot',
    requests: ({ start, end }) => (end - start) / 300,
    async *read(period) {
      for (let { start } = period; start < period.end; start += 300) {
        await answer(start)
        const series = [{ family: 'sds_pool_up', labels: { system }, times: [start], values: [1] }]
        yield { period: { ...period, start, end: start + 300 }, series, rejected: [], failed: new Map() }
      }
    },
  }
}

function runOf(sources: readonly HistorySource[]) {
  const written: string[] = []
  let progress: RunProgress | undefined
  const notices: string[] = []
  const destination: Destination = {
    async write(series) {
      for (const { labels, times } of series) written.push(`${labels['system']} ${times}`)
    },
    isFull: false,
    save: async () => [],
    finish: async () => undefined,
    discard: async () => undefined,
  }
  const settings = { destination: 'test', labels: {} }
  const result = runBackfill({
    settings: { period: PERIOD, sources: sources.map(({ key }) => key), ...settings },
    sources,
    destination,
    journal: undefined,
    state: undefined,
    onProgress: (now) => (progress = now),
    notice: (text) => notices.push(text),
    onRejected: () => undefined,
    signal: never(),
  })
  return { result, written, notices, progress: () => progress }
}

test('a system is read to its end while another one has not answered', async () => {
  const slow = Promise.withResolvers<void>()
  const fast = Promise.withResolvers<void>()
  const { result, written, progress } = runOf([
    sourceOf('slow', () => slow.promise),
    sourceOf('fast', async (start) => {
      if (start === PERIOD.end - 300) fast.resolve()
    }),
  ])
  await fast.promise
  await waitFor(() => written.length === WINDOWS, { what: 'the last window of the fast system' })
  expect(new Set(written.map((text) => text.split(' ')[0]))).toEqual(new Set(['fast']))
  expect(progress()).toEqual({ done: WINDOWS, total: 2 * WINDOWS, samples: WINDOWS })
  slow.resolve()
  expect(await result).toMatchObject({ samples: 2 * WINDOWS, isFinished: true })
  expect(new Set(written).size).toBe(2 * WINDOWS)
})

test('a system that fails does not stop another one that is slower', async () => {
  const failure = new ApiError('server_error', 'down')
  const failed = Promise.withResolvers<void>()
  const { result, written, notices } = runOf([
    sourceOf('fails', async () => {
      failed.resolve()
      throw failure
    }),
    sourceOf('slow', () => failed.promise),
  ])
  await expect(result).rejects.toMatchObject({ errors: [failure] })
  expect(written).toHaveLength(WINDOWS)
  expect(notices).toEqual([`system fails failed, the others are read: ${failure.message}`])
})

test('gaps of one source and subject that touch are one', async () => {
  const failure = new ApiError('server_error', 'failed')
  const source: HistorySource = {
    ...sourceOf('a', async () => undefined),
    async *read(period) {
      for (const [start, subject] of [
        [0, 'CPU'],
        [300, 'CPU'],
        [600, 'memory'],
        [900, 'CPU'],
      ] as const)
        yield {
          period: { ...period, start, end: start + 300 },
          series: [],
          rejected: [],
          failed: new Map([[subject, failure]]),
        }
    },
  }
  const { unreadGaps } = await runOf([source]).result
  const gap = (subject: string, start: number, end: number) => {
    return { source: 'system a, pool hot', subject, start, end }
  }
  expect(unreadGaps).toEqual([gap('CPU', 0, 600), gap('memory', 600, 900), gap('CPU', 900, 1200)])
})
