import type { AlertCase } from './case.ts'
import { systemErrors, transactionErrors } from './errors.ts'
import { latencies, latencyOutlier } from './latency.ts'
import { resources } from './resources.ts'

export const serviceCases: readonly AlertCase[] = [
  ...latencies,
  ...transactionErrors,
  ...systemErrors,
  ...latencyOutlier,
  ...resources,
]
