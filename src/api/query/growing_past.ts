import type { AttributeName, SourceUnit } from '../../catalogue.ts'
import type { LatencyOperation } from '../../query_catalogue.ts'
import type { ErrorType } from '../feed/transaction_errors.ts'
import type { NodeHistory } from '../history/node_history.ts'
import type { Points } from '../history/series.ts'
import type { NodePerformance } from './values/performance.ts'

/** What the query interface has of the past of one node. */
export type QueriedPast = Pick<NodeHistory, 'attributes' | 'errors' | 'latencies' | 'interfaces'>

interface GrowingPoints extends Points {
  readonly times: number[]
  readonly values: number[]
}

/** Collects the values of one node. */
export function createGrowingPast() {
  const attributes = new Map<AttributeName, { series: GrowingPoints; unit: SourceUnit }>()
  const [all, succeeded, failed] = [empty(), empty(), empty()]
  const types = new Map<string, Pick<ErrorType, 'category' | 'errorType'> & Growing<'rate' | 'count'>>()
  const latencies = new Map<LatencyOperation, Map<number, GrowingPoints>>()
  const interfaces = new Map<string, { name: string } & Growing<'received' | 'transmitted'>>()

  function addErrors(t: number, { transactions, errorTypes }: NodePerformance): void {
    if (transactions?.t === t) {
      push(all, t, transactions.all?.value)
      push(succeeded, t, transactions.succeeded)
      push(failed, t, transactions.failed)
    }
    if (errorTypes?.t !== t) return
    for (const { category, errorType, rate, count } of errorTypes.types) {
      const create = () => ({ category, errorType, rate: empty(), count: empty() })
      const type = entry(types, `${category}\n${errorType}`, create)
      push(type.rate, t, rate?.value)
      push(type.count, t, count)
    }
  }

  function addLatencies(t: number, performance: NodePerformance): void {
    for (const [operation, histogram] of performance.latencies) {
      if (histogram.t !== t) continue
      const counts = entry(latencies, operation, () => new Map<number, GrowingPoints>())
      for (const { seconds, count } of histogram.buckets) push(entry(counts, seconds, empty), t, count)
    }
  }

  return {
    /** Adds the values that are of this time. Times of the same value are to be ascending. */
    add(t: number, performance: NodePerformance): void {
      for (const [name, { t: newest, value, unit }] of performance.values)
        if (newest === t) push(entry(attributes, name, () => ({ series: empty(), unit })).series, t, value)
      addErrors(t, performance)
      addLatencies(t, performance)
      for (const traffic of performance.interfaces.filter((one) => one.t === t)) {
        const { name } = traffic
        const one = entry(interfaces, name, () => ({ name, received: empty(), transmitted: empty() }))
        push(one.received, t, traffic.receivedBytesPerSecond)
        push(one.transmitted, t, traffic.transmittedBytesPerSecond)
      }
    },
    result: (): QueriedPast => ({
      attributes,
      errors: { all, succeeded, failed, types: [...types.values()] },
      latencies: [...latencies].flatMap(([operation, buckets]) =>
        [...buckets]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([seconds, counts]) => ({ operation, seconds, counts })),
      ),
      interfaces: [...interfaces.values()],
    }),
  }
}

type Growing<Key extends string> = Record<Key, GrowingPoints>

function empty(): GrowingPoints {
  return { times: [], values: [] }
}

function push({ times, values }: GrowingPoints, t: number, value: number | undefined): void {
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
