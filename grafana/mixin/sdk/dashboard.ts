import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { type DashboardName, GRAFANA, UIDS } from '../settings.ts'
import { annotations, links } from './annotations.ts'
import { arrange, type LayoutRow } from './layout.ts'
import { VARIABLES, type VariableName } from './variables.ts'

/** The source of a dashspec. */
export interface DashboardSpec {
  readonly name: DashboardName
  readonly title: string
  /** The question that the dashboard answers; its description in Grafana. */
  readonly question: string
  readonly variables: readonly VariableName[]
  readonly from: string
  readonly refresh: string
  readonly rows: readonly LayoutRow[]
}

/**
 * The schema version of Grafana 9.4, not the SDK's 42. A newer Grafana migrates the file when it loads it. An older
 * one loads version 42 without migration and does not support its table cells. Version 37 with the older form of
 * table cells (table.ts) works in 9.4 and later; the colours of errors (`shades`) need 10.0.
 */
const SCHEMA_VERSION = 37

/** The dashboard in the classic JSON model, for file provisioning. Grafana sets id and version. */
export const toDashboard = (spec: DashboardSpec): Dashboard => {
  const variables = spec.variables.map((name) => VARIABLES[name]())
  const built = new DashboardBuilder(spec.title)
    .uid(UIDS[spec.name])
    .description(spec.question)
    .tags([...GRAFANA.tags])
    .readonly()
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: spec.from, to: 'now' })
    .refresh(spec.refresh)
    .build()
  return {
    ...built,
    schemaVersion: SCHEMA_VERSION,
    annotations: { list: annotations(variables.map(({ name }) => name)) },
    links: links(),
    templating: { list: variables },
    panels: arrange(spec.rows),
  }
}
