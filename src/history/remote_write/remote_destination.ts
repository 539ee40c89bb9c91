import type { Destination } from '../output/destination.ts'
import type { HistorySeries } from '../series.ts'
import type { Receiver } from './receiver.ts'
import { type SeriesSlice, writeRequest } from './write_request.ts'

/** Within the limits of all known receivers; larger requests are hardly faster. */
const MAX_SAMPLES = 5000
const MAX_SERIES = 1000

/**
 * Sends samples with remote write, one request at a time, so that a slow receiver slows down the reading. Samples that
 * the receiver has already are no error: it ignores them.
 */
export function createRemoteDestination(receiver: Receiver): Destination {
  return {
    begin: async () => undefined,
    async write(series, signal) {
      for (const batch of batchesOf(series)) await receiver.send(writeRequest(batch), signal)
    },
    // Each window is recorded, because it is sent when write() returns.
    isFull: true,
    save: async () => [],
    finish: async () => undefined,
    discard: async () => receiver.close(),
  }
}

/** Requests of limited size; the points of a series may be spread over several of them, in order. */
export function* batchesOf(all: Iterable<HistorySeries>): Generator<readonly SeriesSlice[]> {
  let batch: SeriesSlice[] = []
  let samples = 0
  for (const series of all) {
    for (let from = 0; from < series.times.length; ) {
      const to = Math.min(series.times.length, from + MAX_SAMPLES - samples)
      batch.push({ series, from, to })
      samples += to - from
      from = to
      if (samples < MAX_SAMPLES && batch.length < MAX_SERIES) continue
      yield batch
      batch = []
      samples = 0
    }
  }
  if (batch.length > 0) yield batch
}
