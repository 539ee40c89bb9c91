import { accessCases } from './access.ts'
import { baselines } from './baseline.ts'
import type { AlertCase } from './case.ts'
import { exporterCases } from './exporter.ts'
import { capacityCases } from './nodes/capacity.ts'
import { disksCases } from './nodes/disks.ts'
import { forecastCases } from './nodes/forecasts.ts'
import { healthCases } from './nodes/health.ts'
import { serviceCases } from './service.ts'
import { backgroundCases } from './system/background.ts'
import { namespaceCases } from './system/namespaces.ts'
import { replicationCases } from './system/replication.ts'
import { resourceCases } from './system/resources.ts'
import { systemCases } from './system/system.ts'

/** All cases by group of rules. */
export const CASE_GROUPS: readonly { readonly group: string; readonly cases: readonly AlertCase[] }[] = [
  { group: 'sds-health', cases: healthCases },
  { group: 'sds-capacity', cases: [...capacityCases, ...forecastCases] },
  { group: 'sds-disks', cases: disksCases },
  { group: 'sds-service', cases: serviceCases },
  { group: 'sds-service', cases: baselines },
  { group: 'sds-system', cases: systemCases },
  { group: 'sds-background', cases: backgroundCases },
  { group: 'sds-replication', cases: replicationCases },
  { group: 'sds-namespaces', cases: namespaceCases },
  { group: 'sds-exporter', cases: resourceCases },
  { group: 'sds-access', cases: accessCases },
  { group: 'sds-exporter', cases: exporterCases },
]
