import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { compress } from 'snappyjs'
import { MS_PER_SECOND } from '../../time_units.ts'
import type { Destination } from '../output/destination.ts'
import type { HistorySeries } from '../series.ts'
import type { Receiver } from './receiver.ts'

/** A part of a series: the points from index `from` up to, but not including, `to`. */
interface SeriesSlice {
  readonly series: HistorySeries
  readonly from: number
  readonly to: number
}

/**
 * The body of a remote write 1.0 request: the message `prometheus.WriteRequest` in the encoding of protocol buffers,
 * compressed with Snappy.
 */
export function writeRequest(slices: readonly SeriesSlice[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const slice of slices) {
    writer.tag(1, WireType.LengthDelimited).fork()
    writeTimeSeries(writer, slice)
    writer.join()
  }
  return compress(writer.finish())
}

/** `prometheus.TimeSeries`: labels sorted by name, then samples in ascending order of time. */
function writeTimeSeries(writer: BinaryWriter, { series, from, to }: SeriesSlice): void {
  const labels = Object.entries({ __name__: series.family, ...series.labels })
  for (const [name, value] of labels.sort(([a], [b]) => (a < b ? -1 : 1))) {
    // An empty label value is the same as no label, and receivers may refuse it.
    if (value === '') continue
    writer.tag(1, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.LengthDelimited).string(name)
    writer.tag(2, WireType.LengthDelimited).string(value.toWellFormed())
    writer.join()
  }
  for (let index = from; index < to; index += 1) {
    writer.tag(2, WireType.LengthDelimited).fork()
    writer.tag(1, WireType.Bit64).double(series.values[index] ?? 0)
    writer.tag(2, WireType.Varint).int64(Math.round((series.times[index] ?? 0) * MS_PER_SECOND))
    writer.join()
  }
}

/** Within the limits of all known receivers; larger requests are hardly faster. */
const MAX_SAMPLES = 5000
const MAX_SERIES = 1000

/**
 * Sends samples with remote write, one request at a time, so that a slow receiver slows down the reading. Samples that
 * the receiver has already are no error: it ignores them.
 */
export function createRemoteDestination(receiver: Receiver): Destination {
  return {
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
