import { PROMETHEUS } from '../../../../grafana/mixin/settings.ts'

/** Results of queries of the runbooks that must agree with the rule of their alert. */
export interface QueryCase {
  readonly alert: string
  readonly name: string
  /** Index of the query in the runbook. */
  readonly query: number
  /** Selector without `system`, `pool` and the exporter's labels → value. */
  readonly series: Readonly<Record<string, number>>
  readonly answers: readonly { readonly labels: string; readonly value: number }[]
}

const FAILED = 'sds_node_transactions_failed'
const SUCCEEDED = 'sds_node_transactions_succeeded'
const BY_TYPE = 'sds_node_transaction_errors_by_type'
const ALLOCATED = 'sds_node_disk_space_allocated_bytes'
const TOTAL = 'sds_node_disk_space_total_bytes'

/** Three nodes of different size; 2 % of the transactions of each fail with errors of category User. */
const threeNodes = Object.fromEntries(
  [100, 200, 300].flatMap((transactions) => [
    [`${FAILED}{node="n${transactions}"}`, 0.02 * transactions],
    [`${SUCCEEDED}{node="n${transactions}"}`, 0.98 * transactions],
    [`${BY_TYPE}{node="n${transactions}",category="User",error_type="404 (S3)"}`, 0.015 * transactions],
    [`${BY_TYPE}{node="n${transactions}",category="User",error_type="403 (S3)"}`, 0.005 * transactions],
  ]),
)
/** 5 of 100 fail: 2 of category User, 1 of category System, 2 without a type. */
const untyped = {
  [`${FAILED}{node="n1"}`]: 5,
  [`${SUCCEEDED}{node="n1"}`]: 45,
  [`${BY_TYPE}{node="n1",category="User",error_type="404 (S3)"}`]: 2,
  [`${BY_TYPE}{node="n1",category="System",error_type="500 (S3)"}`]: 1,
  [`${FAILED}{node="n2"}`]: 0,
  [`${SUCCEEDED}{node="n2"}`]: 50,
}

export const QUERY_CASES: readonly QueryCase[] = [
  {
    alert: 'SdsTransactionErrors',
    name: 'three nodes with 2 % each are 2 %',
    query: 1,
    series: threeNodes,
    answers: [{ labels: '{category="User"}', value: 0.02 }],
  },
  {
    alert: 'SdsSystemErrors',
    name: 'failures without a type are not of category User',
    query: 0,
    series: untyped,
    answers: [{ labels: '{}', value: 0.03 }],
  },
  {
    alert: 'SdsSystemErrors',
    name: 'all failures are counted where no types are served',
    query: 0,
    series: { [`${FAILED}{node="n1"}`]: 2, [`${SUCCEEDED}{node="n1"}`]: 98 },
    answers: [{ labels: '{}', value: 0.02 }],
  },
  {
    alert: 'SdsSystemErrors',
    name: 'ratio by node',
    query: 1,
    series: untyped,
    answers: [
      { labels: '{system="SYSTEM",pool="POOL",node="n1"}', value: 0.06 },
      { labels: '{system="SYSTEM",pool="POOL",node="n2"}', value: 0 },
    ],
  },
  {
    alert: 'SdsCapacityHigh',
    name: 'nodes that serve one of the two values are ignored',
    query: 0,
    series: {
      [`${ALLOCATED}{node="n1"}`]: 85,
      [`${TOTAL}{node="n1"}`]: 100,
      [`${ALLOCATED}{node="n2"}`]: 50,
      [`${TOTAL}{node="n3"}`]: 100,
    },
    answers: [{ labels: '{system="SYSTEM",pool="POOL"}', value: 0.85 }],
  },
  ...['SdsFeedFrozen', 'SdsCategoryFrozen'].map((alert) => ({
    alert,
    name: 'ages are those at the last successful poll, by the clock of the system',
    query: 0,
    series: {
      'sds_pool_last_success_timestamp_seconds{pool_id="p1"}': 10_000,
      'sds_system_clock_skew_seconds{}': 60,
      'sds_node_sample_timestamp_seconds{node="n1",category="health"}': 8_000,
      'sds_node_sample_timestamp_seconds{node="n2",category="health"}': 9_000,
    },
    answers: [{ labels: '{system="SYSTEM",pool="POOL",category="health"}', value: 1060 }],
  })),
]

/** promtool's test of one case, with two exporters. */
export const queryTest = ({ name, alert, series, answers }: QueryCase, query: string) => ({
  name: `${alert}: ${name}`,
  input_series: Object.entries(series).flatMap(([selector, value]) =>
    ['exporter-1:9438', 'exporter-2:9438'].map((instance) => ({
      series: selector.replace(
        '{',
        `{system="SYSTEM",pool="POOL",job="${PROMETHEUS.job}",instance="${instance}",`,
      ),
      values: String(value),
    })),
  ),
  // Rounded, because sums of floating-point numbers are compared exactly.
  promql_expr_test: [{ expr: `round(${query}, 1e-6)`, eval_time: '0m', exp_samples: answers }],
})
