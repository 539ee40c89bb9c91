import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { type DashboardName, GRAFANA, UIDS } from '../settings.ts'
import { annotations, links } from './annotations.ts'
import { arrange, type Row } from './layout.ts'
import { VARIABLES, type VariableName } from './variables.ts'

/** A page as its author writes it: what it asks, what can be chosen on it, and its rows. */
export interface Board {
  readonly name: DashboardName
  readonly title: string
  /** The one question that the page answers. */
  readonly question: string
  readonly variables: readonly VariableName[]
  readonly from: string
  readonly refresh: string
  readonly rows: readonly Row[]
}

/**
 * The schema version of Grafana 9.4, not the SDK's 42. A newer Grafana migrates the file when it loads it; an
 * older one would take 42 as it is and then not know the newer form of table cells. 37 with the older form
 * of table cells (panels/table.ts) is right for 9.4 and for everything after it.
 */
const SCHEMA_VERSION = 37

/** The dashboard as Grafana's file provisioning takes it ("classic" JSON); no id and no version: Grafana's own. */
export const toDashboard = (board: Board): Dashboard => {
  const built = new DashboardBuilder(board.title)
    .uid(UIDS[board.name])
    .description(board.question)
    .tags([...GRAFANA.tags])
    .readonly()
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: board.from, to: 'now' })
    .refresh(board.refresh)
    .build()
  return {
    ...built,
    schemaVersion: SCHEMA_VERSION,
    annotations: { list: annotations() },
    links: links(),
    templating: { list: board.variables.map((name) => VARIABLES[name]()) },
    panels: arrange(board.rows),
  }
}
