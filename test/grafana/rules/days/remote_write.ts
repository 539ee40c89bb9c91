/** The labels of a series, encoded once for all requests. */
export type EncodedLabels = Buffer

const DOUBLE_BYTES = 8
/** Types of fields in Protocol Buffers. */
const TYPE = { varint: 0, double: 1, bytes: 2 } as const
const tag = (number: number, type: number): number => (number << 3) | type

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

const delimited = (number: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag(number, TYPE.bytes), ...varint(content.length)]), content])

/** The labels of a TimeSeries message, sorted by name as remote write demands. */
export const encodeLabels = (labels: Readonly<Record<string, string>>): EncodedLabels =>
  Buffer.concat(
    Object.entries(labels)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) =>
        delimited(1, Buffer.concat([delimited(1, Buffer.from(name)), delimited(2, Buffer.from(value))])),
      ),
  )

/** A Sample message with the value 0, and the position of the value. */
const sampleAt = (milliseconds: number): Buffer =>
  delimited(
    2,
    Buffer.from([
      tag(1, TYPE.double),
      ...Buffer.alloc(DOUBLE_BYTES),
      tag(2, TYPE.varint),
      ...varint(milliseconds),
    ]),
  )

/** Encodes series with samples at the same times, in milliseconds since the epoch. */
export const seriesEncoder = (times: readonly number[]) => {
  const samples = times.map(sampleAt)
  const template = Buffer.concat(samples)
  const size = samples[0]?.length ?? 0
  const valueOffset = size - DOUBLE_BYTES - 1 - varint(times[0] ?? 0).length
  return (labels: EncodedLabels, valueAt: (milliseconds: number) => number): Buffer => {
    const filled = Buffer.from(template)
    for (const [index, time] of times.entries())
      filled.writeDoubleLE(valueAt(time), index * size + valueOffset)
    return delimited(1, Buffer.concat([labels, filled]))
  }
}

/** Snappy's block format without compression: one literal. */
const snappy = (content: Buffer): Buffer => {
  const literal = Buffer.alloc(5)
  literal[0] = 63 << 2
  literal.writeUInt32LE(content.length - 1, 1)
  return Buffer.concat([Buffer.from(varint(content.length)), literal, content])
}

/** Sends series to a Prometheus. @throws with its message when it refuses them */
export async function remoteWrite(url: string, series: readonly Buffer[]): Promise<void> {
  const response = await fetch(`${url}/api/v1/write`, {
    method: 'POST',
    headers: {
      'Content-Encoding': 'snappy',
      'Content-Type': 'application/x-protobuf',
      'X-Prometheus-Remote-Write-Version': '0.1.0',
    },
    body: new Uint8Array(snappy(Buffer.concat(series))),
  })
  if (!response.ok) throw new Error(`remote write: HTTP ${response.status} ${await response.text()}`)
}
