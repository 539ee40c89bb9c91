import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { type MetricName, RECORDED } from '../../promql/metrics.ts'
import { age, by, dedup, ratio } from '../../promql/operators.ts'
import { recorded, recordedSelector } from '../../promql/recorded.ts'
import { SCOPE } from '../../promql/scope.ts'
import { rowToNamespace, rowToSystem } from '../../sdk/links.ts'
import { from, steps } from '../../sdk/spec.ts'
import { type Column, table } from '../../sdk/table.ts'
import { NAMESPACE_KEY, SYSTEM_KEY, THRESHOLDS } from '../../settings.ts'
import { NOT_READ, NOT_RECORDED } from '../common/resource_data.ts'

const ofNamespace = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  dedup(NAMESPACE_KEY, select(metric, ...SCOPE.namespace, ...matchers))

export const USED = ofNamespace('sds_namespace_used_bytes')
/** Used relative to the hard quota, of namespaces that have one. */
export const QUOTA_USED = recorded(RECORDED.quotaUsed, SCOPE.namespace)

/** The part of a vector about the namespaces that a table lists. */
const within = (listed: Expression, vector: Expression): Expression =>
  promql`${vector} and on (${NAMESPACE_KEY}) ${listed}`

const LISTED_BY_QUOTA = promql`topk($topn, ${QUOTA_USED})`
const LISTED_BY_SIZE = promql`topk($topn, ${USED})`

const quota = (limit: 'hard' | 'soft'): Matcher => `limit="${limit}"`
const figure =
  (listed: Expression) =>
  (title: string, unit: string, metric: MetricName, ...matchers: readonly Matcher[]): Column => ({
    title,
    expr: within(listed, ofNamespace(metric, ...matchers)),
    unit,
  })
const byQuota = figure(LISTED_BY_QUOTA)
const bySize = figure(LISTED_BY_SIZE)

/** Growth of the used part of the quota, by the linear trend of seven days. */
const growth = dedup(
  NAMESPACE_KEY,
  promql`deriv(${recordedSelector(RECORDED.quotaUsed, SCOPE.namespace)}[7d])`,
)
const timeToQuota = promql`clamp_min(1 - ${QUOTA_USED}, 0) / (${growth} > 0)`

export const systems = table({
  title: 'Systems',
  shows:
    'The selected systems: exported namespaces, the size of their objects without protection overhead, their objects, and the namespaces that use more than the warning threshold of their hard quota. The systems of a federation have the same namespaces: do not add their values.',
  normal: 'No namespace near its quota.',
  otherwise:
    'The next table lists the namespaces that are nearest to their quota. Namespaces that a limit of the configuration leaves out are not counted: see “Data”.',
  rows: SYSTEM_KEY,
  columns: [
    { title: 'Namespaces', expr: by('count', SYSTEM_KEY, USED) },
    { title: 'Used', expr: recorded(RECORDED.namespacesUsed, SCOPE.system), unit: 'bytes' },
    { title: 'Objects', expr: recorded(RECORDED.namespaceObjects, SCOPE.system), unit: 'short' },
    {
      title: 'Near quota',
      expr: by('count', SYSTEM_KEY, promql`${QUOTA_USED} > ${THRESHOLDS.quotaRatio.warning}`),
      steps: from(1, 'warning'),
    },
  ],
  cellLinks: { system: rowToSystem },
  sortBy: 'Used',
  noValue: NOT_RECORDED,
  height: 6,
})

export const quotas = table({
  title: 'Top $topn namespaces by used quota',
  shows:
    'The selected namespaces that use most of their hard quota: the used part, the time until it is used by the trend of seven days, used size, both quotas, objects and their hard quota. Namespaces without a hard quota are not listed.',
  normal:
    'Below the thresholds, with months until the quota is used. A dash means that there is no such quota, or no growth.',
  otherwise: 'At the hard quota, writes are refused. Ask the owner to delete data, or raise the quota.',
  rows: NAMESPACE_KEY,
  columns: [
    { title: 'Used quota', expr: LISTED_BY_QUOTA, unit: 'percentunit', steps: steps(THRESHOLDS.quotaRatio) },
    { title: 'To quota', expr: within(LISTED_BY_QUOTA, timeToQuota), unit: 'dtdurations', decimals: 0 },
    byQuota('Used', 'bytes', 'sds_namespace_used_bytes'),
    byQuota('Hard', 'bytes', 'sds_namespace_quota_bytes', quota('hard')),
    byQuota('Soft', 'bytes', 'sds_namespace_quota_bytes', quota('soft')),
    byQuota('Objects', 'short', 'sds_namespace_objects'),
    byQuota('Hard count', 'short', 'sds_namespace_quota_objects', quota('hard')),
  ],
  cellLinks: { namespace: rowToNamespace },
  sortBy: 'Used quota',
  noValue: 'No namespace has a hard quota, no data (see “Data”), or no recording rules',
})

export const largest = table({
  title: 'Top $topn namespaces by size',
  shows:
    'The largest of the selected namespaces: the size of their objects without protection overhead, growth within seven days, objects, multipart uploads that were not completed, and the age of these values.',
  normal:
    'Multipart uploads are a small part of the used size. Systems compute the values every 5 to 15 minutes.',
  otherwise:
    'Large multipart uploads: ask the owner for a lifecycle rule that ends old ones. An age of hours means that the metering of the system is behind.',
  rows: NAMESPACE_KEY,
  columns: [
    { title: 'Used', expr: LISTED_BY_SIZE, unit: 'bytes' },
    {
      title: 'In 7 days',
      expr: within(
        LISTED_BY_SIZE,
        promql`${USED} - ${dedup(NAMESPACE_KEY, promql`${select('sds_namespace_used_bytes', ...SCOPE.namespace)} offset 7d`)}`,
      ),
      unit: 'bytes',
    },
    bySize('Objects', 'short', 'sds_namespace_objects'),
    bySize('Multipart', 'bytes', 'sds_namespace_multipart_bytes'),
    {
      title: 'Age',
      expr: within(LISTED_BY_SIZE, age(ofNamespace('sds_namespace_usage_timestamp_seconds'))),
      unit: 's',
      decimals: 0,
    },
  ],
  cellLinks: { namespace: rowToNamespace },
  sortBy: 'Used',
  noValue: NOT_READ,
})

const BUCKET_KEY = [...NAMESPACE_KEY, 'bucket'] as const
const ofBucket = (metric: MetricName, ...matchers: readonly Matcher[]): Expression =>
  dedup(BUCKET_KEY, select(metric, ...SCOPE.namespace, ...matchers))
const BUCKET_USED = ofBucket('sds_bucket_used_bytes')
const LISTED_BUCKETS = promql`topk($topn, ${BUCKET_USED})`
const withinBuckets = (vector: Expression): Expression =>
  promql`${vector} and on (${BUCKET_KEY}) ${LISTED_BUCKETS}`
const NO_BUCKETS = 'Buckets are not read by default, or no data: see “Data”'

const buckets = table({
  title: 'Top $topn buckets by size',
  shows:
    'The largest buckets of the selected namespaces that the exporter reads: size, part of their hard quota that is used, and objects. Buckets are read only if the configuration says so.',
  normal: 'Below the thresholds.',
  otherwise: 'At the hard quota, writes to the bucket are refused.',
  rows: BUCKET_KEY,
  columns: [
    { title: 'Used', expr: LISTED_BUCKETS, unit: 'bytes' },
    {
      title: 'Used quota',
      expr: withinBuckets(ratio(BUCKET_USED, ofBucket('sds_bucket_quota_bytes', quota('hard')))),
      unit: 'percentunit',
      steps: steps(THRESHOLDS.quotaRatio),
    },
    { title: 'Objects', expr: withinBuckets(ofBucket('sds_bucket_objects')), unit: 'short' },
  ],
  sortBy: 'Used',
  noValue: NO_BUCKETS,
  width: 16,
})

const bucketCounts = table({
  title: 'Top $topn by buckets',
  shows: 'The selected namespaces with the most buckets, exported or not.',
  normal: 'Up to some thousands.',
  otherwise: 'A fast growing number is usually an error of a client.',
  rows: NAMESPACE_KEY,
  columns: [{ title: 'Buckets', expr: promql`topk($topn, ${ofNamespace('sds_namespace_buckets')})` }],
  cellLinks: { namespace: rowToNamespace },
  sortBy: 'Buckets',
  noValue: NO_BUCKETS,
  width: 8,
})

export const bucketTables = [buckets, bucketCounts] as const
