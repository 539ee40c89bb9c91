const DAY_MS = 86_400_000
const FAR_AWAY_DAYS = 180

/**
 * A cron expression of six fields whose next moment is at least 145 days after `now` (milliseconds since the epoch),
 * in every time zone. For tests in which a schedule must not become due: a fixed date would be due on that date.
 */
export function neverSchedule(now: number = Date.now()): string {
  const month = new Date(now + FAR_AWAY_DAYS * DAY_MS).getUTCMonth() + 1
  return `0 0 0 1 ${month} *`
}

/** A section of a configuration: no resources are read. */
export const WITHOUT_RESOURCES =
  'resources: {system: {schedule: ""}, replication: {schedule: ""}, namespaces: {schedule: ""}, quotas: {schedule: ""}, inventory: {schedule: ""}}'
