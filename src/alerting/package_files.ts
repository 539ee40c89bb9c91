import { readdirSync, readFileSync } from 'node:fs'
import type { DashboardSource } from './dashboards.ts'
import type { Pointers } from './references.ts'
import { type Values, valuesOf } from './references.ts'
import { CLUSTER_HIDE, CLUSTER_PATH, type RuleSources, type SettingSources } from './sources.ts'

export interface PackagedRules {
  readonly settings: SettingSources
  /** Default name of the scrape job. */
  readonly job: string
  readonly sources: RuleSources
  /** Of the alerts whose conditions the status page checks, too. Their severity is that of the rules. */
  readonly conditions: Readonly<Record<string, ConditionRow>>
  /** Alerts that cause another one, by its name. Alertmanager inhibits it, and the status page omits it. */
  readonly causes: Readonly<Record<string, readonly string[]>>
}

/** What an alert compares, and what to do when it holds. */
export interface ConditionRow {
  /** Path of the setting that is compared; a number where there is no setting. */
  readonly limit: string | number
  /** What to do first: a sentence without a capital letter at its beginning and without a full stop. */
  readonly advice: string
}

/** Paths are the same from src/ and dist/. */
const GENERATED = new URL('./generated/', import.meta.url)
const DASHBOARDS = new URL('../../grafana/dashboards/', import.meta.url)

const INHIBITION = new URL('../../deploy/prometheus/alertmanager-inhibition.yml', import.meta.url)

const readJson = (file: URL): unknown => JSON.parse(readFileSync(file, 'utf8'))

export const readRules = (): PackagedRules => readJson(new URL('rules.json', GENERATED)) as PackagedRules

/** The text of the file with the inhibition rules. */
export const readInhibition = (): string => readFileSync(INHIBITION, 'utf8')

export const defaultsOf = ({ settings, job }: PackagedRules): Values => ({
  ...valuesOf(settings),
  job,
  [CLUSTER_PATH]: CLUSTER_HIDE.hidden,
})

/** The dashboards of the package, sorted by file name. */
export function readDashboards(): DashboardSource[] {
  const pointers = readJson(new URL('pointers.json', GENERATED)) as Readonly<Record<string, Pointers>>
  const files = readdirSync(DASHBOARDS).filter((file) => file.endsWith('.json'))
  return files.toSorted().map((file) => {
    const dashboard = readJson(new URL(file, DASHBOARDS)) as DashboardSource['dashboard']
    return { dashboard, pointers: pointers[dashboard.uid] ?? {} }
  })
}
