import { ATTRIBUTES, type AttributeName, type SourceUnit } from '../../catalogue.ts'
import type { LatencyOperation } from '../../query_catalogue.ts'
import type { ErrorType } from '../feed/transaction_errors.ts'
import type { NodeHistory } from '../history/node_history.ts'
import type { Series } from '../history/series.ts'
import type { NodePerformance } from './values/performance.ts'

/** What the query interface has of the past of one node. */
export type QueriedPast = Pick<NodeHistory, 'attributes' | 'errors' | 'latencies' | 'interfaces'>

/** Collects the values of one node. */
export interface GrowingPast {
  /** Adds the values that are of this time. Times of the same value are to be ascending. */
  add(t: number, performance: NodePerformance): void
  result(): QueriedPast
}

interface GrowingSeries extends Series {
  readonly times: number[]
  readonly values: number[]
}

const UNITS_OF: ReadonlyMap<AttributeName, SourceUnit> = new Map(
  ATTRIBUTES.map(({ name, unit }) => [name, unit]),
)

export function createGrowingPast(): GrowingPast {
  const attributes = createAttributes()
  const errors = createErrors()
  const latencies = createLatencies()
  const interfaces = createInterfaces()
  return {
    add(t, performance) {
      attributes.add(t, performance)
      errors.add(t, performance)
      latencies.add(t, performance)
      interfaces.add(t, performance)
    },
    result: () => ({
      attributes: attributes.result(),
      errors: errors.result(),
      latencies: latencies.result(),
      interfaces: interfaces.result(),
    }),
  }
}

function createAttributes() {
  const attributes = new Map<AttributeName, { readonly series: GrowingSeries; readonly unit: SourceUnit }>()
  return {
    add(t: number, { values }: NodePerformance) {
      for (const [name, snapshot] of values) {
        if (snapshot.t !== t) continue
        const unit = snapshot.unit ?? UNITS_OF.get(name) ?? 'Bytes'
        push(entry(attributes, name, () => ({ series: empty(), unit })).series, t, snapshot.value)
      }
    },
    result: () => attributes,
  }
}

function createLatencies() {
  const buckets = new Map<string, { operation: LatencyOperation; seconds: number; counts: GrowingSeries }>()
  return {
    add(t: number, { latencies }: NodePerformance) {
      for (const [operation, histogram] of latencies) {
        if (histogram.t !== t) continue
        for (const { seconds, count } of histogram.buckets) {
          const key = `${operation} ${seconds}`
          push(entry(buckets, key, () => ({ operation, seconds, counts: empty() })).counts, t, count)
        }
      }
    },
    result: () =>
      Object.values(Object.groupBy(buckets.values(), ({ operation }) => operation)).flatMap((histogram) =>
        histogram.sort((a, b) => (a.seconds < b.seconds ? -1 : 1)),
      ),
  }
}

function createInterfaces() {
  const byName = new Map<string, { name: string; received: GrowingSeries; transmitted: GrowingSeries }>()
  return {
    add(t: number, { interfaces }: NodePerformance) {
      for (const { name, t: newest, receivedBytesPerSecond, transmittedBytesPerSecond } of interfaces) {
        if (newest !== t) continue
        const one = entry(byName, name, () => ({ name, received: empty(), transmitted: empty() }))
        push(one.received, t, receivedBytesPerSecond)
        push(one.transmitted, t, transmittedBytesPerSecond)
      }
    },
    result: () => [...byName.values()],
  }
}

function createErrors() {
  const [all, succeeded, failed] = [empty(), empty(), empty()]
  const types = new Map<
    string,
    Omit<ErrorType, 'count' | 'rate'> & { rate: GrowingSeries; count: GrowingSeries }
  >()
  return {
    add(t: number, { transactions, errorTypes }: NodePerformance) {
      if (transactions?.t === t) {
        push(all, t, transactions.all?.value)
        push(succeeded, t, transactions.succeeded)
        push(failed, t, transactions.failed)
      }
      if (errorTypes?.t !== t) return
      for (const { category, errorType, rate, count } of errorTypes.types) {
        const key = `${category}\n${errorType}`
        const type = entry(types, key, () => ({ category, errorType, rate: empty(), count: empty() }))
        push(type.rate, t, rate?.value)
        push(type.count, t, count)
      }
    },
    result: () => ({ all, succeeded, failed, types: [...types.values()] }),
  }
}

function empty(): GrowingSeries {
  return { times: [], values: [] }
}

function push({ times, values }: GrowingSeries, t: number, value: number | undefined): void {
  if (value === undefined) return
  times.push(t)
  values.push(value)
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const created = create()
  map.set(key, created)
  return created
}
