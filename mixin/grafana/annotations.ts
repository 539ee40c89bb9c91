import {
  type AnnotationQuery,
  AnnotationQueryBuilder,
  type DashboardLink,
  DashboardLinkBuilder,
  DashboardLinkType,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { dashboardPath } from '../dashboard_url.ts'
import { type Expression, promql, select } from '../promql/expression.ts'
import { perNode } from '../promql/operators.ts'
import { firingAlerts, SCOPE } from '../promql/scope.ts'
import { GRAFANA, MATCHERS } from '../settings.ts'
import { DATASOURCE } from './spec.ts'

interface Annotation {
  readonly name: string
  readonly expr: Expression
  readonly title: string
  readonly text: string
  readonly color: string
  readonly enabled: boolean
}

/** Restarts of exporters only: other jobs of the same Prometheus have `process_start_time_seconds`, too. */
const START = select('process_start_time_seconds', MATCHERS.job)
const BUILD = select('sds_exporter_build_info', MATCHERS.job)
const RESTARTS = promql`changes(${START}[$__rate_interval]) > 0 and on (job,instance) ${BUILD}`

const GOOD = select('sds_node_health_status', ...SCOPE.system, 'status="Good"')
const CHANGES = perNode(promql`changes(${GOOD}[$__rate_interval])`)

const ANNOTATIONS: readonly Annotation[] = [
  {
    name: 'Alerts',
    expr: firingAlerts(),
    title: '{{alertname}}',
    text: '{{severity}}: {{system}} {{pool}} {{node}}',
    color: 'red',
    enabled: true,
  },
  {
    name: 'Exporter restarts',
    expr: RESTARTS,
    title: 'Exporter restarted',
    text: '{{instance}}',
    color: 'blue',
    enabled: true,
  },
  {
    name: 'Health changes',
    expr: promql`${CHANGES} > 0`,
    title: 'Health of {{node}} changed',
    text: '{{system}} {{pool}}',
    color: 'yellow',
    enabled: false,
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
      .iconColor(spec.color)
      .expr(spec.expr)
      .titleFormat(spec.title)
      .textFormat(spec.text)
      .step('60s')
      .build(),
  )

/** Firing alerts, restarts of the exporter, and, disabled by default, changes of health. */
export const annotations = (): AnnotationQuery[] => [builtIn(), ...ANNOTATIONS.map(annotation)]

/** Links to the fleet dashboard and to all others, with the variables and the time range. */
export const links = (): DashboardLink[] => [
  unplaced(
    new DashboardLinkBuilder('Fleet')
      .type(DashboardLinkType.Link)
      .icon('dashboard')
      .tooltip('All systems')
      .url(dashboardPath('fleet'))
      .includeVars(true)
      .keepTime(true)
      .build(),
  ),
  unplaced(
    new DashboardLinkBuilder('Storage dashboards')
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
