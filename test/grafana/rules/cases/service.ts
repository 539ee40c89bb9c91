import type { AlertCase } from './case.ts'
import { systemErrors, transactionErrors } from './nodes/errors.ts'
import { latencies, latencyOutlier } from './nodes/latency.ts'
import { resources } from './nodes/resources.ts'

export const serviceCases: readonly AlertCase[] = [
  ...latencies,
  ...transactionErrors,
  ...systemErrors,
  ...latencyOutlier,
  ...resources,
]
