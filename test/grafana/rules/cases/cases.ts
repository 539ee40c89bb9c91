import { accessCases } from './access.ts'
import { baselineCases } from './baseline.ts'
import type { AlertCase } from './case.ts'
import { exporterCases } from './exporter.ts'
import { capacityCases } from './nodes/capacity.ts'
import { disksCases } from './nodes/disks.ts'
import { errorCases } from './nodes/errors.ts'
import { forecastCases } from './nodes/forecasts.ts'
import { healthCases } from './nodes/health.ts'
import { latencyCases } from './nodes/latency.ts'
import { utilizationCases } from './nodes/utilizations.ts'
import { pollCases } from './polls.ts'
import { queryCases } from './queries.ts'
import { refusalCases } from './refusals.ts'
import { sampleCases } from './samples.ts'
import { backgroundCases } from './system/background.ts'
import { namespaceCases } from './system/namespaces.ts'
import { replicationCases } from './system/replication.ts'
import { resourceCases } from './system/resources.ts'
import { systemCases } from './system/system.ts'
import { valueCases } from './values.ts'

export const ALL_CASES: readonly AlertCase[] = [
  accessCases,
  backgroundCases,
  baselineCases,
  capacityCases,
  disksCases,
  errorCases,
  exporterCases,
  forecastCases,
  healthCases,
  latencyCases,
  namespaceCases,
  pollCases,
  queryCases,
  refusalCases,
  replicationCases,
  resourceCases,
  sampleCases,
  systemCases,
  utilizationCases,
  valueCases,
].flat()
