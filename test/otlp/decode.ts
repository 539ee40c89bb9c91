import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** Decodes an `ExportMetricsServiceRequest` by the numbers of opentelemetry-proto 1.x, without the code that encodes it. */

type Labels = Readonly<Record<string, string>>

export interface ReceivedPoint {
  readonly labels: Labels
  /** Nanoseconds since the epoch. */
  readonly start: bigint
  readonly time: bigint
  readonly value: number
  /** The next three are of a histogram, whose count is the value. */
  readonly sum: number | undefined
  readonly counts: readonly number[]
  readonly bounds: readonly number[]
}

export interface ReceivedMetric {
  readonly name: string
  readonly help: string
  readonly unit: string
  readonly type: 'gauge' | 'sum' | 'histogram'
  readonly temporality: number
  readonly isMonotonic: boolean
  readonly points: readonly ReceivedPoint[]
}

export interface ReceivedRequest {
  readonly resource: Labels
  readonly scope: string
  readonly metrics: readonly ReceivedMetric[]
}

type Fields = ReadonlyMap<number, readonly Uint8Array[]>

/** The values of each field: of a length-delimited one its bytes, of a fixed one 8 bytes, of a varint 8 bytes, too. */
function fieldsOf(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, Uint8Array[]>()
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    fields.set(number, [...(fields.get(number) ?? []), bytesOf(reader, type)])
  }
  return fields
}

function bytesOf(reader: BinaryReader, type: WireType): Uint8Array {
  if (type === WireType.LengthDelimited) return reader.bytes()
  const value = Buffer.alloc(8)
  if (type === WireType.Varint) value.writeBigUInt64LE(BigInt(reader.uint64()))
  else if (type === WireType.Bit64) value.writeBigUInt64LE(BigInt(reader.fixed64()))
  else throw new Error(`unexpected type ${type}`)
  return value
}

const one = (fields: Fields, number: number) => fields.get(number)?.[0] ?? new Uint8Array()
const all = (fields: Fields, number: number) => fields.get(number) ?? []
const textIn = (fields: Fields, number: number) => Buffer.from(one(fields, number)).toString()
const wholes = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length / 8 }, (_, index) => Buffer.from(bytes).readBigUInt64LE(index * 8))
const doubles = (bytes: Uint8Array) =>
  Array.from({ length: bytes.length / 8 }, (_, index) => Buffer.from(bytes).readDoubleLE(index * 8))

function labelsIn(fields: Fields, number: number): Labels {
  const entries = all(fields, number).map((bytes) => {
    const pair = fieldsOf(bytes)
    return [textIn(pair, 1), textIn(fieldsOf(one(pair, 2)), 1)]
  })
  return Object.fromEntries(entries)
}

function numberPoint(bytes: Uint8Array): ReceivedPoint {
  const fields = fieldsOf(bytes)
  const [value = Number.NaN] = doubles(one(fields, 4))
  return { ...pointOf(fields, 7), value, sum: undefined, counts: [], bounds: [] }
}

function histogramPoint(bytes: Uint8Array): ReceivedPoint {
  const fields = fieldsOf(bytes)
  return {
    ...pointOf(fields, 9),
    value: Number(wholes(one(fields, 4))[0]),
    sum: doubles(one(fields, 5))[0],
    counts: wholes(one(fields, 6)).map(Number),
    bounds: doubles(one(fields, 7)),
  }
}

function pointOf(fields: Fields, attributes: number) {
  const [start = 0n] = wholes(one(fields, 2))
  const [time = 0n] = wholes(one(fields, 3))
  return { labels: labelsIn(fields, attributes), start, time }
}

const TYPES = { 5: 'gauge', 7: 'sum', 9: 'histogram' } as const

function metricOf(bytes: Uint8Array): ReceivedMetric {
  const fields = fieldsOf(bytes)
  const [number, type] = Object.entries(TYPES).find(([key]) => fields.has(Number(key))) ?? []
  if (type === undefined) throw new Error('a metric has no known data')
  const data = fieldsOf(one(fields, Number(number)))
  const whole = (field: number) => Number(wholes(one(data, field))[0] ?? 0n)
  return {
    name: textIn(fields, 1),
    help: textIn(fields, 2),
    unit: textIn(fields, 3),
    type,
    temporality: whole(2),
    isMonotonic: whole(3) === 1,
    points: all(data, 1).map(type === 'histogram' ? histogramPoint : numberPoint),
  }
}

export function decodeRequest(bytes: Uint8Array): ReceivedRequest {
  const [resourceMetrics, ...more] = all(fieldsOf(bytes), 1)
  if (resourceMetrics === undefined || more.length > 0) throw new Error('expected one resource')
  const fields = fieldsOf(resourceMetrics)
  const scope = fieldsOf(one(fields, 2))
  return {
    resource: labelsIn(fieldsOf(one(fields, 1)), 1),
    scope: textIn(fieldsOf(one(scope, 1)), 1),
    metrics: all(scope, 2).map(metricOf),
  }
}
