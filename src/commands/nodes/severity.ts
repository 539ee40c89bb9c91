import { HEALTH_STATES } from '../../catalogue.ts'
import type { NodeRow } from './rows.ts'

/** An unknown or missing status is worse than Suspect, which the system has judged. */
const UNKNOWN = 3
const SEVERITIES: readonly string[] = [
  ...HEALTH_STATES.slice(0, UNKNOWN),
  '',
  ...HEALTH_STATES.slice(UNKNOWN),
]

/** How bad a health status is, from 0 (Good) to 5 (NotAccessible). */
export function severityOf(status: string | null): number {
  const severity = SEVERITIES.indexOf(status ?? '')
  return severity === -1 ? UNKNOWN : severity
}

/** The worst first: by health, then by bad disks. Rows that are equally bad keep their order. */
export function sortBySeverity(rows: readonly NodeRow[]): NodeRow[] {
  return rows.toSorted(
    (a, b) =>
      severityOf(b.health_status) - severityOf(a.health_status) || (b.disks_bad ?? 0) - (a.disks_bad ?? 0),
  )
}
