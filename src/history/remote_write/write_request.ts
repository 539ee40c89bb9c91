import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { compress } from 'snappyjs'
import { MS_PER_SECOND } from '../../time_units.ts'
import type { HistorySeries } from '../series.ts'

/** A part of a series: the points from index `from` up to, but not including, `to`. */
export interface SeriesSlice {
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
