import { parseExposition, type Sample } from '../metrics/exposition_text.ts'
import type { CheckedScraper } from './checked_scrapers.ts'
import { exposedMetadata, type Metadata, type Values, valuesOf } from './series.ts'

type Stores = CheckedScraper['stores']

/** Served without `_count` and `_sum`: the storage system does not have the sum. */
const BUCKETS_ONLY = 'sds_node_transaction_latency_seconds'

/** What a store has of an exposition, as the table of docs/compatibility.md says. */
export function expectedValues(stores: Stores, text: string): Values {
  const samples = parseExposition(text)
  if (stores === 'native') return valuesOf(natively(samples, text))
  if (stores === 'renamed') return valuesOf(samples.flatMap(renamed))
  if (stores === 'converted') return valuesOf(samples.flatMap(withCount))
  return valuesOf(samples)
}

/** A native histogram has its sum in itself, and no buckets without observations. */
function natively(samples: readonly Sample[], text: string): Sample[] {
  const histograms = [...exposedMetadata(text)].filter(([, { type }]) => type === 'histogram')
  const without = new Set(histograms.flatMap(([name]) => [`${name}_sum`, `${name}_count`]))
  const buckets = new Set(histograms.map(([name]) => `${name}_bucket`))
  return samples.filter(({ name, labels, value }, index) => {
    if (!buckets.has(name)) return !without.has(name)
    const before = samples[index - 1]
    const isFirst = before?.name !== name || before.labels['le'] === '+Inf'
    return labels['le'] === '+Inf' || value > (isFirst ? 0 : (before?.value ?? 0))
  })
}

/** The collector adds a unit that it knows to names, and keeps no histogram without `_count`. */
function renamed(sample: Sample): Sample[] {
  if (sample.name.startsWith(`${BUCKETS_ONLY}_`)) return []
  return [{ ...sample, name: sample.name.replace(/_bytes_per_second$/, '$&_per_second') }]
}

/** The collector adds `_count` and `_sum`. */
function withCount(sample: Sample): Sample[] {
  const { le, ...labels } = sample.labels
  if (sample.name !== `${BUCKETS_ONLY}_bucket` || le !== '+Inf') return [sample]
  return [
    sample,
    { name: `${BUCKETS_ONLY}_count`, labels, value: sample.value },
    { name: `${BUCKETS_ONLY}_sum`, labels, value: 0 },
  ]
}

/** Types and units that the store, or the receiver of a collector, has. */
export function expectedMetadata(stores: Stores, text: string): Metadata {
  const exposed = exposedMetadata(text)
  if (stores !== 'renamed') return exposed
  return new Map([...exposed].filter(([name]) => name !== BUCKETS_ONLY))
}
