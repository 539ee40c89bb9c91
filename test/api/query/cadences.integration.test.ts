import { describe, expect, onTestFinished, test } from 'vitest'
import { createPerformanceReader } from '../../../src/api/query/performance_reader.ts'
import type { PerformanceReading } from '../../../src/api/query/values/performance.ts'
import { QUERY_ATTRIBUTES } from '../../../src/query_catalogue.ts'
import { NOW, startEmulator } from '../../emulator/client.ts'
import { startClient } from '../client_setup.ts'
import { never } from '../http/responses.ts'
import { POLLED } from './query_files.ts'

const POLL_SECONDS = 300
/** Points of the emulator are visible 30 s later anyway. */
const EARLIEST_SECONDS = 30

interface Cadence {
  readonly interval: number
  readonly delay: number
  readonly profile?: 'modern' | 'range-defect'
}

/** The readings of an emulated system that is polled every five minutes. */
async function* readingsOf({ interval, delay, profile = 'modern' }: Cadence) {
  let seconds = 0
  const faults = [`point-interval:${interval}`, `stale-points:${delay - EARLIEST_SECONDS}`]
  const clock = () => NOW + seconds * 1000
  const emulator = await startEmulator({ profile, pools: 1, nodes: 2, faults, clock })
  const { client } = startClient(`{name: a, base_url: "${emulator.url}", auth: {token: emulator-monitor}}`)
  onTestFinished(() => client.close())
  const reader = createPerformanceReader({
    ...POLLED,
    query: client.query,
    hasRangeDefect: async () => profile === 'range-defect',
    now: () => seconds * 1000,
  })
  for (; ; seconds += POLL_SECONDS) yield (await reader.read(never())).reading
}

/** What each node has. */
function figuresIn({ nodes }: PerformanceReading) {
  return nodes.map(({ values, transactions, latencies, interfaces }) => [
    values.size,
    typeof transactions?.succeeded,
    latencies.size,
    interfaces.filter((one) => one.receivedBytesPerSecond && one.transmittedBytesPerSecond).length,
  ])
}

const ALL = [QUERY_ATTRIBUTES.length, 'number', 2, 4]
/** Version 3 has two interfaces, without the speeds that the utilization of a direction needs. */
const ALL_OF_VERSION_3 = [QUERY_ATTRIBUTES.length - 2, 'number', 2, 2]

describe.each([60, 180, 300, 420, 660, 900])('with a point every %i s', (interval) => {
  test.each([30, 240, 420])('that is visible after %i s, every poll has all rates', async (delay) => {
    let polls = 0
    for await (const reading of readingsOf({ interval, delay })) {
      expect(figuresIn(reading), `poll ${polls}`).toEqual([ALL, ALL])
      const oldest = Math.min(
        ...reading.nodes.flatMap(({ values }) => [...values.values()].map(({ t }) => t)),
      )
      // A value is not withdrawn before the next poll has a newer one.
      expect((reading.stop ?? 0) - oldest + POLL_SECONDS).toBeLessThan(reading.maxAgeOf('CPU'))
      polls += 1
      if (polls === 4) return
    }
  })
})

describe.each([60, 300, 900])('of which only the newest is right, with a point every %i s', (interval) => {
  test.each([30, 420])(
    'that is visible after %i s, every poll after the second point has all rates',
    async (delay) => {
      // The phases of nodes and measurements differ by one interval at most.
      const first = Math.ceil((2 * Math.max(interval, POLL_SECONDS)) / POLL_SECONDS)
      let polls = 0
      for await (const reading of readingsOf({ interval, delay, profile: 'range-defect' })) {
        if (polls >= first)
          expect(figuresIn(reading), `poll ${polls}`).toEqual([ALL_OF_VERSION_3, ALL_OF_VERSION_3])
        polls += 1
        if (polls === first + 8) return
      }
    },
  )
})
