/** A version of Grafana with whose published types the dashboards are compared, and members that it does not know. */
export interface GrafanaSchema {
  readonly version: string
  /** The alias of `@grafana/schema` in package.json. */
  readonly package: string
  readonly unknown: readonly UnknownMember[]
}

/** Where a member is: in the variables of a dashboard, or in the options of panels of a type. */
export type Place = 'variables' | PanelType
export const PANEL_TYPES = ['timeseries', 'stat', 'table', 'heatmap', 'state-timeline'] as const
export type PanelType = (typeof PANEL_TYPES)[number]

interface UnknownMember {
  readonly in: Place
  readonly member: string
  /** What this version does instead. */
  readonly effect: string
}

const FOOTER = {
  in: 'table',
  member: 'footer',
  effect: 'Grafana converts it when it loads the dashboard; the footer is off',
} as const

export const GRAFANA_SCHEMAS: readonly GrafanaSchema[] = [
  {
    version: '10.4.19',
    package: 'grafana-schema-10',
    unknown: [
      { in: 'variables', member: 'allowCustomValue', effect: 'any value can be typed into a variable' },
      { in: 'stat', member: 'percentChangeColorMode', effect: 'none: no change in percent is shown' },
      { in: 'state-timeline', member: 'perPage', effect: 'all rows are drawn on one page' },
      { in: 'heatmap', member: 'selectionMode', effect: 'none: dragging selects a range of time' },
    ],
  },
  { version: '11.6.16', package: 'grafana-schema-11', unknown: [] },
  { version: '12.3.3', package: 'grafana-schema-12', unknown: [FOOTER] },
  { version: '13.2.3', package: 'grafana-schema-13', unknown: [FOOTER] },
]
