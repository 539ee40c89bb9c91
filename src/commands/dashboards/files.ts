import { readdirSync, readFileSync } from 'node:fs'

/** A dashboard as it ships: the text of its file and what it says. */
export interface DashboardFile {
  /** Such as `sds-fleet.json`. */
  readonly file: string
  readonly text: string
  readonly dashboard: { readonly uid: string; readonly title: string } & Readonly<Record<string, unknown>>
}

/** The folder of the built dashboards; the same relative path holds for the sources and for the built program. */
const FOLDER = new URL('../../../grafana/dashboards/', import.meta.url)

/** All dashboards of this version, by name. */
export function readDashboards(): DashboardFile[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'))
  return files.toSorted().map((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    return { file, text, dashboard: JSON.parse(text) }
  })
}
