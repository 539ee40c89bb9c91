import { z } from 'zod'
import { RESOURCES } from '../system_catalogue.ts'
import type { ResourcesConfig } from './config.ts'
import { cronOrOff } from './values/cron.ts'
import { expression } from './values/expression.ts'
import { wholeUpTo } from './values/units.ts'

/** Bounds of memory: a namespace takes ten series, and a bucket four. */
const MAX_NAMESPACES = 5000
const MAX_BUCKETS = 5000

const schedule = { schedule: cronOrOff.optional() }
const patterns = { include: expression.optional(), exclude: expression.optional() }

/** The section `resources`, of the file or of a system. */
export const resourcesSchema = z.strictObject({
  system: z.strictObject(schedule).prefault({}),
  replication: z.strictObject(schedule).prefault({}),
  namespaces: z
    .strictObject({ ...schedule, ...patterns, max: wholeUpTo(MAX_NAMESPACES).optional() })
    .prefault({}),
  quotas: z.strictObject(schedule).prefault({}),
  buckets: z.strictObject({ ...schedule, ...patterns, top: wholeUpTo(MAX_BUCKETS).optional() }).prefault({}),
  inventory: z.strictObject(schedule).prefault({}),
})
export type ResourcesSection = z.output<typeof resourcesSchema>

const NAMESPACES: ResourcesConfig['namespaces'] = { include: '', exclude: '', max: 500 }
const BUCKETS: ResourcesConfig['buckets'] = { include: '', exclude: '', top: 100 }

/** The first section that sets a key decides. @param others schedules that other sections set */
export function resourcesConfig(
  sections: readonly (ResourcesSection | undefined)[],
  others: Pick<ResourcesConfig['schedules'], 'pools' | 'system_queries'>,
): ResourcesConfig {
  const given = sections.filter((section) => section !== undefined)
  const scheduleOf = (name: keyof ResourcesSection) =>
    given.map((section) => section[name].schedule).find((text) => text !== undefined) ??
    RESOURCES[name].schedule
  return {
    schedules: {
      system: scheduleOf('system'),
      ...others,
      replication: scheduleOf('replication'),
      namespaces: scheduleOf('namespaces'),
      quotas: scheduleOf('quotas'),
      buckets: scheduleOf('buckets'),
      inventory: scheduleOf('inventory'),
    },
    namespaces: firstSet(
      given.map(({ namespaces }) => namespaces),
      NAMESPACES,
    ),
    buckets: firstSet(
      given.map(({ buckets }) => buckets),
      BUCKETS,
    ),
  }
}

/** Each key of the first section that sets it, or its default. */
function firstSet<T extends object>(
  sections: readonly { readonly [Key in keyof T]?: T[Key] | undefined }[],
  defaults: T,
): T {
  const keys = Object.keys(defaults) as (keyof T)[]
  const values = keys.map((key) => [
    key,
    sections.map((section) => section[key]).find((value) => value !== undefined) ?? defaults[key],
  ])
  return Object.fromEntries(values) as T
}
