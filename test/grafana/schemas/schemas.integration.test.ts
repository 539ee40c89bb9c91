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

test.each(GRAFANA_SCHEMAS)('Grafana $version does not know those listed', async (schema) => {
  const refused = (await schemaErrors(schema, readDashboards())).flatMap(
    (line) => /may only specify known properties, and '"(\w+)"'/.exec(line)?.[1] ?? [],
  )
  expect(new Set(refused)).toEqual(new Set(schema.unknown.map(({ member }) => member)))
})

test('a value that a version does not have is refused', async () => {
  const [schema] = GRAFANA_SCHEMAS
  const [dashboard] = readDashboards()
  const panel = dashboard && panelsOf(dashboard).find(({ type }) => type === 'timeseries')
  if (schema === undefined || dashboard === undefined || panel === undefined) throw new Error('no panel')
  const changed = { ...panel, options: { ...panel.options, tooltip: { mode: 'every', sort: 'none' } } }
  const [error] = await schemaErrors(schema, [{ ...dashboard, panels: [changed], templating: { list: [] } }])
  expect(error).toContain(`Type '"every"' is not assignable`)
})
