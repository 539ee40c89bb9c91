import {
  CustomVariableBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  type VariableModel,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { type Expression, type Matcher, select } from '../promql/expression.ts'
import { SCOPE } from '../promql/scope.ts'
import { CLUSTER_VISIBILITY, MATCHERS } from '../settings.ts'
import { DATASOURCE, placed } from './spec.ts'

/** Matches any value of the label; `.*` would also match series without the label. */
const ALL_VALUE = '.+'

const ALL = { selected: true, text: ['All'], value: ['$__all'] }

/** Grafana's function of the Prometheus data source, not PromQL. */
const labelValues = (selector: Expression, label: string): string => `label_values(${selector}, ${label})`

const query = (name: string, label: string, expression: string): QueryVariableBuilder =>
  new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ query: expression, refId: `variable-${name}` })
    .definition(expression)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.NaturalAsc)

const many = (builder: QueryVariableBuilder, allValue = true): VariableModel => {
  builder.multi(true).includeAll(true).current(ALL)
  if (allValue) builder.allValue(ALL_VALUE)
  return tidy(builder.build())
}

/** Removes members that the SDK adds from other types of variables. */
const tidy = ({ auto: _, auto_min: __, auto_count: ___, ...rest }: VariableModel): VariableModel => rest

const CLUSTER = labelValues(select('sds_system_up'), 'cluster')
const JOB = labelValues(select('sds_system_up', MATCHERS.cluster), 'job')
const SYSTEM = labelValues(select('sds_system_up', ...SCOPE.job), 'system')
const POOL = labelValues(select('sds_node_info', ...SCOPE.system), 'pool')
const NODE = labelValues(select('sds_node_info', ...SCOPE.pool), 'node')

const NAMESPACE = labelValues(select('sds_namespace_used_bytes', ...SCOPE.system), 'namespace')

/** Values of a label of the exporters. */
const exporters = (label: string, ...matchers: readonly Matcher[]): string =>
  labelValues(select('sds_exporter_build_info', ...matchers), label)

/** Also the jobs of systems: with probes, these have another job than the exporters. */
const NAMES: Matcher = `__name__=~"${select('sds_exporter_build_info')}|${select('sds_system_up')}"`
const EXPORTER_JOB = labelValues(`{${NAMES},${MATCHERS.cluster}}` as Expression, 'job')

/** The variables of the dashboards, in the order in which dashboards list them. */
export const VARIABLES = {
  datasource: (): VariableModel =>
    tidy(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus').build()),
  /** All also matches series without the label, which only stores of several Prometheus servers have. */
  cluster: (): VariableModel => ({
    ...many(query('cluster', 'Cluster', CLUSTER)),
    allValue: '.*',
    hide: placed(CLUSTER_VISIBILITY),
  }),
  job: (): VariableModel => many(query('job', 'Job', JOB)),
  /**
   * Both without `allValue`, so that All expands to the exporters: `up` and the process metrics exist for every job
   * of the Prometheus, and `.+` would match them all.
   */
  exporterJob: (): VariableModel => many(query('job', 'Job', EXPORTER_JOB), false),
  instance: (): VariableModel =>
    many(query('instance', 'Exporter', exporters('instance', ...SCOPE.job)), false),
  system: (): VariableModel => many(query('system', 'System', SYSTEM)),
  pool: (): VariableModel => many(query('pool', 'Pool', POOL)),
  node: (): VariableModel => many(query('node', 'Node', NODE)),
  namespace: (): VariableModel => many(query('namespace', 'Namespace', NAMESPACE)),
  oneSystem: (): VariableModel => tidy(query('system', 'System', SYSTEM).build()),
  onePool: (): VariableModel => tidy(query('pool', 'Pool', POOL).build()),
  oneNode: (): VariableModel => tidy(query('node', 'Node', NODE).build()),
  topn: (): VariableModel => ({
    ...tidy(new CustomVariableBuilder('topn').label('Top').values('5,10,20').build()),
    current: { selected: true, text: '10', value: '10' },
    options: ['5', '10', '20'].map((value) => ({ selected: value === '10', text: value, value })),
  }),
} as const satisfies Record<string, () => VariableModel>

export type VariableName = keyof typeof VARIABLES
