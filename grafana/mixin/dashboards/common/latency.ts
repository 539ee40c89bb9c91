import { nodeLatency, type Operation, QUERY_RANGE } from '../../promql/latency.ts'
import { SCOPE } from '../../promql/scope.ts'
import { lineSteps, type SizedPanel } from '../../sdk/spec.ts'
import { LATENCY_THRESHOLDS, MEASURES } from '../../settings.ts'
import { topNodes } from './lines.ts'
import { NO_DATA } from './pool_data.ts'

/** What panels show as the latency, as part of their descriptions. */
export const LATENCY_MEASURE = `the mean, or the quantile ${MEASURES.latencyQuantile} of the requests of ${QUERY_RANGE.replace('m', ' minutes')} where the system does not serve means.`

export const OPERATIONS: readonly Operation[] = ['read', 'write']

export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** The axis of latencies in seconds, with the thresholds of the operation as lines. */
export const latencyAxis = (operation: Operation) =>
  ({ unit: 's', min: 0, steps: lineSteps(LATENCY_THRESHOLDS[operation]), limits: true }) as const

export const topNodeLatency = (operation: Operation): SizedPanel =>
  topNodes({
    title: `Top $topn nodes by ${operation} latency`,
    shows: `Time of a ${operation} transaction on the nodes that were slowest in the last three hours of the time range: ${LATENCY_MEASURE}`,
    normal: 'All lines are similar and below the dashed thresholds.',
    otherwise:
      operation === 'read'
        ? 'One line far from the others is a faulty node: click it. All lines rising together is load or background work.'
        : 'As for reads. Writes also wait for other nodes, so one faulty node makes all nodes slightly slower.',
    expr: nodeLatency(operation, SCOPE.node),
    ...latencyAxis(operation),
    noValue: NO_DATA,
  })
