import { readdirSync, readFileSync } from 'node:fs'

/** A dashboard of the package. */
export interface DashboardFile {
  /** `sds-fleet.json` */
  readonly file: string
  readonly text: string
  readonly dashboard: { readonly uid: string; readonly title: string } & Readonly<Record<string, unknown>>
}

/** The generated dashboards. The relative path is the same from src/ and dist/. */
const FOLDER = new URL('../../../grafana/dashboards/', import.meta.url)

/** All dashboards, sorted by file name. */
export function readDashboards(): DashboardFile[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'))
  return files.toSorted().map((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    return { file, text, dashboard: JSON.parse(text) }
  })
}
