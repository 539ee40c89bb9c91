import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { temporaryFolder } from '../../support/folders.ts'
import { run } from '../../support/processes.ts'
import { type GrafanaSchema, PANEL_TYPES, type PanelType } from './grafana_schemas.ts'

type Members = Record<string, unknown>
export interface PanelJson extends Members {
  readonly id: number
  readonly type: PanelType | 'row'
  readonly options: Members
  readonly panels?: readonly PanelJson[]
}
export interface DashboardJson extends Members {
  readonly uid: string
  readonly panels: readonly PanelJson[]
  readonly templating: { readonly list: readonly Members[] }
}

const FOLDER = 'grafana/dashboards'

export function readDashboards(): DashboardJson[] {
  return readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')))
}

/** All panels, also those in rows. */
export const panelsOf = ({ panels }: DashboardJson): PanelJson[] =>
  panels.flatMap((panel) => [panel, ...(panel.panels ?? [])])

/** Names of the modules of panels in the package. */
const MODULES: Readonly<Record<PanelType, string>> = {
  timeseries: 'TimeSeries',
  stat: 'Stat',
  table: 'Table',
  heatmap: 'Heatmap',
  'state-timeline': 'StateTimeline',
}

const packageFolder = (name: string) => resolve('node_modules', name, 'dist')

/** The file of types in the first of the folders that exists: packages differ. */
const firstOf = (folder: string, paths: readonly string[]): string =>
  paths.map((path) => `${folder}/${path}`).find(existsSync) ?? folder

const indexOf = (schema: GrafanaSchema): string =>
  firstOf(packageFolder(schema.package), ['types/index.d.ts', 'index.d.ts', 'esm/index.d.mts'])

function moduleOf(name: string, module: string): string {
  const composable = firstOf(packageFolder(name), ['types/raw/composable', 'esm/raw/composable'])
  const folder = `${composable}/${module}/x`
  return `${folder}/${readdirSync(folder).find((file) => file.endsWith('.d.ts'))}`
}

/** Later packages have no type of a query. */
const QUERY_PACKAGE = 'grafana-schema-10'

/**
 * Types of JSON: values of enumerations are texts there, and all numbers are numbers. Options of panels have defaults. The
 * types lack members that Grafana itself writes: those of a Prometheus annotation, the text of a variable's query, and
 * the gaps of a state timeline.
 */
const TYPES = `
export type Json<T> = 0 extends 1 & T ? any
  : T extends string ? \`\${T}\`
  : T extends number ? number
  : T extends boolean | null | undefined ? T
  : T extends readonly (infer U)[] ? Json<U>[]
  : T extends object ? { [K in keyof T]: Json<T[K]> }
  : T
interface Annotation extends S.AnnotationQuery {
  expr?: string; step?: string; titleFormat?: string; textFormat?: string; tagKeys?: string; useValueForTime?: boolean
}
interface Variable extends S.VariableModel { definition?: string }
interface Dashboard extends Omit<S.Dashboard, 'panels' | 'annotations' | 'templating'> {
  annotations: { list: Annotation[] }
  templating: { list: Variable[] }
}
interface Panel<O, C> extends Omit<S.Panel, 'options' | 'fieldConfig' | 'targets'> {
  options: Partial<O>
  fieldConfig: {
    defaults: Omit<S.FieldConfig, 'custom'> & { custom?: Partial<C> & { spanNulls?: boolean | number } }
    overrides: S.FieldConfigSource['overrides']
  }
  targets: Query.PrometheusDataQuery[]
}
export type DashboardJson = Json<Dashboard>
export type RowJson = Json<Omit<S.RowPanel, 'panels'>>
`

function typesOf({ package: name }: GrafanaSchema): string {
  const imports = PANEL_TYPES.map((type) => {
    const module = MODULES[type]
    return `import type * as ${module} from '${moduleOf(name, `${module.toLowerCase()}/panelcfg`)}'`
  })
  const panels = PANEL_TYPES.map((type) => {
    const module = MODULES[type]
    const custom = type === 'stat' ? '{}' : `${module}.FieldConfig`
    return `export type ${module}Json = Json<Panel<${module}.Options, ${custom}>>`
  })
  return [
    "import type * as S from '@grafana/schema'",
    `import type * as Query from '${moduleOf(QUERY_PACKAGE, 'prometheus/dataquery')}'`,
    ...imports,
    TYPES,
    ...panels,
  ].join('\n')
}

/** The dashboard and its panels as literals, in which the compiler refuses members that the types do not have. */
function literals(dashboard: DashboardJson): string {
  const { panels: _panels, ...rest } = dashboard
  const typed = panelsOf(dashboard).map(({ panels: _inRow, ...panel }) => {
    const type = panel.type === 'row' ? 'Row' : MODULES[panel.type]
    return `export const panel${panel.id}: T.${type}Json = ${JSON.stringify(panel)}`
  })
  return [
    "import type * as T from './types.d.ts'",
    `export const dashboard: T.DashboardJson = ${JSON.stringify(rest)}`,
    ...typed,
  ].join('\n')
}

/** Compares dashboards with the types of a version. @returns messages of the compiler */
export async function schemaErrors(
  schema: GrafanaSchema,
  dashboards: readonly DashboardJson[],
): Promise<string[]> {
  using folder = temporaryFolder()
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    allowImportingTsExtensions: true,
    types: [],
    paths: { '@grafana/schema': [indexOf(schema)] },
  }
  folder.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  folder.write('types.d.ts', typesOf(schema))
  for (const dashboard of dashboards) folder.write(`${dashboard.uid}.ts`, literals(dashboard))
  const { stdout } = await run(resolve('node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder.path })
  return stdout.split('\n').filter((line) => line !== '')
}
