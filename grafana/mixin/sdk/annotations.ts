import {
  type AnnotationQuery,
  AnnotationQueryBuilder,
  type DashboardLink,
  DashboardLinkBuilder,
  DashboardLinkType,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { COLORS } from '../colors.ts'
import { type Expression, type Matcher, promql, select } from '../promql/expression.ts'
import { firingAlerts, SCOPE } from '../promql/scope.ts'
import { GRAFANA } from '../settings.ts'
import { DATASOURCE } from './spec.ts'

interface Annotation {
  readonly name: string
  readonly expr: Expression
  readonly title: string
  readonly text: string
  readonly color: string
  readonly enabled: boolean
  /** Whether the dashboard has no switch for it at its top. */
  readonly hidden: boolean
}

/** Restarts of exporters only: other jobs of the same Prometheus have `process_start_time_seconds`, too. */
const START = select('process_start_time_seconds', ...SCOPE.job)
const BUILD = select('sds_exporter_build_info', ...SCOPE.job)
const RESTARTS = promql`changes(${START}[$__rate_interval]) > 0 and on (job,instance) ${BUILD}`

/** Alerts about what the page shows; those without one of the labels are kept. */
const shownAlerts = (variables: readonly string[]): Expression =>
  firingAlerts(
    'severity="critical"',
    ...(['pool', 'node'] as const)
      .filter((name) => variables.includes(name))
      .map((name): Matcher => `${name}=~"$${name}|"`),
  )

/**
 * Critical alerts are disabled by default: an alert is drawn as a region over the graph for as long as it fires, and
 * several would cover it.
 */
const annotationsOf = (variables: readonly string[]): readonly Annotation[] => [
  {
    name: 'Critical alerts',
    expr: shownAlerts(variables),
    title: '{{alertname}}',
    text: '{{system}} {{pool}} {{node}}',
    color: COLORS.critical.line,
    enabled: false,
    hidden: false,
  },
  {
    name: 'Exporter restarts',
    expr: RESTARTS,
    title: 'Exporter restarted',
    text: '{{instance}}',
    color: COLORS.planned.line,
    enabled: true,
    hidden: true,
  },
]

/** `placement` of the SDK moves links and annotations into a menu that only the newest Grafana has. */
const unplaced = <T extends { placement?: unknown }>({ placement: _, ...rest }: T): Omit<T, 'placement'> =>
  rest

/** Grafana's own annotations. Without this entry a dashboard does not show them. */
const builtIn = (): AnnotationQuery =>
  unplaced(
    new AnnotationQueryBuilder()
      .name('Annotations & Alerts')
      .datasource({ type: 'grafana', uid: '-- Grafana --' })
      .builtIn(1)
      .hide(true)
      .iconColor('rgba(0, 211, 255, 1)')
      .type('dashboard')
      .build(),
  )

const annotation = (spec: Annotation): AnnotationQuery =>
  unplaced(
    new AnnotationQueryBuilder()
      .name(spec.name)
      .datasource(DATASOURCE)
      .enable(spec.enabled)
      .hide(spec.hidden)
      .iconColor(spec.color)
      .expr(spec.expr)
      .titleFormat(spec.title)
      .textFormat(spec.text)
      .step('60s')
      .build(),
  )

/** Critical alerts, disabled by default, and restarts of the exporter, for a dashboard with these variables. */
export const annotations = (variables: readonly string[]): AnnotationQuery[] => [
  builtIn(),
  ...annotationsOf(variables).map(annotation),
]

/** One menu with all dashboards, which keeps the variables and the time range. */
export const links = (): DashboardLink[] => [
  unplaced(
    new DashboardLinkBuilder('Storage')
      .type(DashboardLinkType.Dashboards)
      .icon('external link')
      .tooltip('All dashboards about the storage systems')
      .tags([GRAFANA.tags[0]])
      .asDropdown(true)
      .includeVars(true)
      .keepTime(true)
      .build(),
  ),
]
