/** Links from the names of alerts in tables to their runbooks. The dashboards of the package have no address for them. */

interface Override {
  readonly matcher: { readonly options?: unknown }
  readonly properties: readonly object[]
}

interface Panel {
  readonly panels?: readonly Panel[]
  readonly fieldConfig?: { readonly overrides: readonly Override[] }
}

const COLUMN = 'alertname'

/** The dashboard with a link on each name of an alert. @param base address of docs/alerts.md, without an anchor */
export function withRunbookLinks<Template extends object>(template: Template, base: string): Template {
  const { panels } = template as { readonly panels?: readonly Panel[] }
  return { ...template, ...(panels && { panels: panels.map((panel) => withLinks(panel, base)) }) }
}

function withLinks(panel: Panel, base: string): Panel {
  const { fieldConfig, panels } = panel
  return {
    ...panel,
    ...(panels && { panels: panels.map((inner) => withLinks(inner, base)) }),
    ...(fieldConfig && {
      fieldConfig: { ...fieldConfig, overrides: fieldConfig.overrides.map((one) => linked(one, base)) },
    }),
  }
}

/** Grafana cannot write the name in lower case, so docs/alerts.md has anchors with the names as they are. */
function linked(override: Override, base: string): Override {
  if (override.matcher.options !== COLUMN) return override
  const url = `${base}#$\{__data.fields.${COLUMN}}`
  const link = { id: 'links', value: [{ title: 'Runbook', url, targetBlank: true }] }
  return { ...override, properties: [...override.properties, link] }
}
