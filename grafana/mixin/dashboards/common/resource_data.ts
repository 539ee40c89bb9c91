import type { ResourceName } from '../../../../src/system_catalogue.ts'
import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import type { MetricName } from '../../promql/metrics.ts'
import { age, dedup } from '../../promql/operators.ts'
import { SCOPE } from '../../promql/scope.ts'
import { RESOURCE_CELLS } from '../../sdk/mappings.ts'
import { from, type SizedPanel } from '../../sdk/spec.ts'
import { type Column, table } from '../../sdk/table.ts'
import { RESOURCE_KEY } from '../../settings.ts'

/** Text of an empty panel about a resource. */
export const NOT_READ = 'Not served, or no data: see “Data”'
/** Text of an empty panel about a resource that reads recorded series. */
export const NOT_RECORDED = 'Not served, no data (see “Data”), or no recording rules'

const objects = (
  title: string,
  state: string,
  of: (metric: MetricName, ...matchers: readonly Matcher[]) => Expression,
): Column => ({
  title,
  expr: of('sds_resource_objects', `state="${state}"`),
  ...(state === 'exported' ? {} : { steps: from(1, 'warning') }),
})

/** Whether resources of the selected systems are read, how old their values are, and what was left out. */
export const resourceData = (resources: readonly ResourceName[]): SizedPanel => {
  const of = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
    dedup(RESOURCE_KEY, select(metric, ...SCOPE.system, `resource=~"${resources.join('|')}"`, ...matchers))
  return table({
    title: 'Data',
    shows:
      'What the exporter reads of each selected system for this page: whether it is read, the time since the last success, and the objects, such as replication groups or namespaces, that are exported, left out by a limit of the configuration, or rejected because they have no name or occur twice.',
    normal:
      'Read, within its schedule, with nothing left out. “not available” is no fault of a system whose version does not serve it.',
    otherwise:
      'Fails, or not available though the version serves it: the status page of the exporter and “sds-exporter doctor” have the reason and a remedy.',
    rows: RESOURCE_KEY,
    columns: [
      {
        title: 'State',
        expr: promql`(${of('sds_resource_available')} == 0) + 2
or
(${of('sds_resource_up')} == bool 0)`,
        mappings: RESOURCE_CELLS,
      },
      { title: 'Age', expr: age(of('sds_resource_last_success_timestamp_seconds')), unit: 's', decimals: 0 },
      objects('Exported', 'exported', of),
      objects('Left out', 'left_out', of),
      objects('Rejected', 'rejected', of),
    ],
    sortBy: 'State',
    noValue: 'Nothing was read, or no data',
    height: 5,
  })
}
