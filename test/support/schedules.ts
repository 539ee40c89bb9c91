import { RESOURCE_NAMES, RESOURCES, type ResourceName, type ResourceRow } from '../../src/system_catalogue.ts'

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

/** The resources whose keys are below `resources` in the configuration. */
const WITH_KEYS = RESOURCE_NAMES.filter((name) => {
  const row: ResourceRow = RESOURCES[name]
  return row.section === undefined && row.isQueried !== true
})

/** A section of a configuration: of the resources that it configures, only those with a schedule are read. */
export function onlyResources(schedules: Readonly<Partial<Record<ResourceName, string>>>): string {
  const keys = WITH_KEYS.map((name) => `${name}: {schedule: "${schedules[name] ?? ''}"}`)
  return `resources: {${keys.join(', ')}}`
}

export const WITHOUT_RESOURCES = onlyResources({})
