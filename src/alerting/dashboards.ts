import type { AlertingConfig, Override, Subject } from './config.ts'
import { type Pointers, pathsIn, resolve, type SettingValues, withTexts } from './references.ts'
import { labelled } from './rules.ts'

/** A dashboard with the default settings, and the texts of it that depend on settings. */
export interface DashboardSource {
  readonly dashboard: Dashboard
  readonly pointers: Pointers
}

export function tunedDashboard(
  { dashboard, pointers }: DashboardSource,
  defaults: SettingValues,
  config: AlertingConfig,
): Dashboard {
  const template = withOwnLimits(withTexts(dashboard, pointers), config.overrides)
  const resolved = resolve(template, { ...defaults, ...config.values })
  const { runbookBaseUrl } = config
  return runbookBaseUrl === undefined ? resolved : withRunbookLinks(resolved, runbookBaseUrl)
}

export const dashboardText = (dashboard: object): string => `${JSON.stringify(dashboard, null, 2)}\n`

const COLUMN = 'alertname'

/** The dashboard with a link to the runbook on each name of an alert. @param base address of the runbooks, without an anchor */
function withRunbookLinks(dashboard: Dashboard, base: string): Dashboard {
  // Grafana cannot write the name in lower case, so the page of runbooks has anchors with the names as they are.
  const url = `${base}#$\{__data.fields.${COLUMN}}`
  const link = { id: 'links', value: [{ title: 'Runbook', url, targetBlank: true }] }
  const linked = ({ matcher, properties }: FieldOverride): FieldOverride =>
    matcher.options === COLUMN ? { matcher, properties: [...properties, link] } : { matcher, properties }
  return withPanels(dashboard, ({ fieldConfig, ...panel }) => ({
    ...panel,
    ...(fieldConfig && { fieldConfig: { ...fieldConfig, overrides: fieldConfig.overrides.map(linked) } }),
  }))
}

/**
 * Limits of panels where systems or pools have values of their own. Thresholds of Grafana are the same for all series
 * of a panel, so these limits are drawn as series: the value for the selected pools, and no line where they differ.
 */

/** Variables that select pools, in the order of the matchers. */
const VARIABLES = ['cluster', 'job', 'system', 'pool'] as const

/** The template of a dashboard with the limits of the overrides. */
function withOwnLimits(template: Dashboard, overrides: readonly Override[]): Dashboard {
  const names = (template.templating?.list ?? []).map(({ name }) => name)
  const matchers = VARIABLES.filter((name) => names.includes(name)).map((name) => `${name}=~"$${name}"`)
  const pools = `group by (system,pool) (sds_pool_info{${matchers.join(',')}})`
  return withPanels(template, (panel) => withLines(panel, pools, overrides))
}

function withLines(panel: Panel, pools: string, overrides: readonly Override[]): Panel {
  const { fieldConfig, targets = [] } = panel
  const limits = limitsOf(panel)
  const isOverridden = limits.some(({ path }) => overrides.some(({ values }) => path in values))
  if (!isOverridden || fieldConfig === undefined) return panel
  const queries = limits.map(({ path, refId }) => ({
    ...targets[0],
    refId,
    expr: commonValue(path, pools, overrides),
    legendFormat: path.replace(/^.*\./, ''),
  }))
  const { defaults } = fieldConfig
  return {
    ...panel,
    targets: [...targets, ...queries],
    fieldConfig: {
      ...fieldConfig,
      defaults: { ...defaults, custom: { ...defaults.custom, thresholdsStyle: { mode: 'off' } } },
      overrides: [...fieldConfig.overrides, ...limits.map(lineStyle)],
    },
  }
}

/** The thresholds that a panel draws as lines: path of the setting, colour, and letter of the query. */
function limitsOf({ fieldConfig }: Panel) {
  const { thresholds, custom } = fieldConfig?.defaults ?? {}
  if ((custom?.thresholdsStyle?.mode ?? 'off') === 'off') return []
  return (thresholds?.steps ?? []).flatMap(({ value, color }, index) =>
    pathsIn(String(value)).map((path) => ({ path, color, refId: `Limit${index}` })),
  )
}

/** One value if it is the same for all selected pools, else nothing. */
function commonValue(path: string, pools: string, overrides: readonly Override[]): string {
  const own = overrides.filter(({ values }) => path in values)
  const ofPools = own.filter(({ pool }) => pool !== undefined)
  const ofSystems = own.filter(({ pool }) => pool === undefined)
  const values = [
    ...[...ofPools, ...ofSystems].map(
      (override) => `${pools} ${join(override)} ${labelled(`vector(${override.values[path]})`, override)}`,
    ),
    `${pools} * <<${path}>>`,
  ].join(' or ')
  return `min(${values}) == max(${values})`
}

const join = ({ pool }: Subject): string =>
  `* on (${pool === undefined ? 'system' : 'system,pool'}) group_left ()`

function lineStyle({ refId, color }: ReturnType<typeof limitsOf>[number]): FieldOverride {
  return {
    matcher: { id: 'byFrameRefID', options: refId },
    properties: [
      { id: 'color', value: { mode: 'fixed', fixedColor: color } },
      { id: 'custom.lineStyle', value: { fill: 'dash', dash: [8, 8] } },
      { id: 'custom.fillOpacity', value: 0 },
      { id: 'custom.stacking', value: { mode: 'none' } },
      { id: 'custom.hideFrom', value: { legend: true, tooltip: false, viz: false } },
      { id: 'links', value: [] },
    ],
  }
}

/** A dashboard in Grafana's classic JSON model. */
export type Dashboard = {
  readonly uid: string
  readonly title: string
  readonly panels?: readonly Panel[]
  readonly templating?: { readonly list?: readonly { readonly name: string }[] }
} & Readonly<Record<string, unknown>>

interface Panel {
  readonly panels?: readonly Panel[]
  readonly targets?: readonly Readonly<Record<string, unknown>>[]
  readonly fieldConfig?: {
    readonly defaults: {
      readonly thresholds?: { readonly steps: readonly Step[] }
      readonly custom?: { readonly thresholdsStyle?: { readonly mode: string } }
    }
    readonly overrides: readonly FieldOverride[]
  }
}

interface Step {
  readonly value: string | number | null
  readonly color: string
}

interface FieldOverride {
  readonly matcher: { readonly id: string; readonly options?: unknown }
  readonly properties: readonly object[]
}

/** The dashboard or row with its panels changed, also those in rows. */
function withPanels<Part extends Pick<Panel, 'panels'>>(part: Part, change: (panel: Panel) => Panel): Part {
  const { panels } = part
  return panels === undefined
    ? part
    : { ...part, panels: panels.map((panel) => change(withPanels(panel, change))) }
}
