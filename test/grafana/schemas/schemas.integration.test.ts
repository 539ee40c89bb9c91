import { expect, test } from 'vitest'
import { type DashboardJson, panelsOf, readDashboards, schemaErrors } from './compile.ts'
import { GRAFANA_SCHEMAS, type Place } from './grafana_schemas.ts'

/** The objects in which a member is unknown. */
function objectsIn(dashboard: DashboardJson, place: Place): readonly Record<string, unknown>[] {
  if (place === 'variables') return dashboard.templating.list
  return panelsOf(dashboard).flatMap(({ type, options }) => (type === place ? [options] : []))
}

test.each(GRAFANA_SCHEMAS)('Grafana $version knows all members, except those listed', async (schema) => {
  const dashboards = readDashboards()
  for (const { in: place, member } of schema.unknown) {
    const objects = dashboards.flatMap((dashboard) => objectsIn(dashboard, place))
    expect(objects.some((one) => Object.hasOwn(one, member))).toBe(true)
    for (const object of objects) delete object[member]
  }
  expect(await schemaErrors(schema, dashboards)).toEqual([])
})
