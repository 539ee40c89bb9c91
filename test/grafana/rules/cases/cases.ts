import { accessCases } from './access.ts'
import { baselines } from './baseline.ts'
import type { AlertCase } from './case.ts'
import { exporterCases } from './exporter.ts'
import { capacityCases } from './nodes/capacity.ts'
import { disksCases } from './nodes/disks.ts'
import { forecastCases } from './nodes/forecasts.ts'
import { healthCases } from './nodes/health.ts'
import { serviceCases } from './service.ts'

/** All cases by group of rules. */
export const CASE_GROUPS: readonly { readonly group: string; readonly cases: readonly AlertCase[] }[] = [
  { group: 'sds-health', cases: healthCases },
  { group: 'sds-capacity', cases: [...capacityCases, ...forecastCases] },
  { group: 'sds-disks', cases: disksCases },
  { group: 'sds-service', cases: serviceCases },
  { group: 'sds-service', cases: baselines },
  { group: 'sds-access', cases: accessCases },
  { group: 'sds-exporter', cases: exporterCases },
]
