import { RULE_SOURCES } from '../../grafana/mixin/rules/rules.ts'
import { DEFAULT_VALUES } from '../../grafana/mixin/settings.ts'
import { resolve } from '../../src/alerting/references.ts'
import { REASONS } from '../../src/api/errors/reasons.ts'
import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
  HEALTH_STATES,
  HISTORY_FAMILIES,
  NODE_FAMILIES,
  NODE_LABELS,
  PERFORMANCE_CATEGORIES,
  QUERY_HISTORY_FAMILIES,
  UNITS,
} from '../../src/catalogue.ts'
import {
  type Family,
  FEED_FAMILIES,
  feedFamily,
  OWN,
  PROBE,
  RESOURCE_FAMILIES,
  STATE,
} from '../../src/metrics/families.ts'
import { MEASUREMENTS, NETWORK_FIELDS, QUERY_ATTRIBUTES } from '../../src/query_catalogue.ts'
import { OBJECT_KINDS, type ObjectKind, requestText } from '../../src/system_catalogue.ts'
import { code, markdownTable } from '../markdown/markdown.ts'

/** The text of docs/metrics.md. */
export function metricsReference(): string {
  return [
    INTRODUCTION,
    section('Conventions', CONVENTIONS + unitTable()),
    section('Nodes', `${NODES}\n${familyTable(FEED_FAMILIES)}`),
    section('Pools and systems', familyTable([...Object.values(STATE), ...Object.values(PROBE)])),
    section('The whole system', `${RESOURCES_NOTE}\n${familyTable(RESOURCE_FAMILIES)}\n${requestTable()}`),
    section('The exporter and its requests', `${familyTable(Object.values(OWN))}\n${OWN_NOTE}`),
    section('Results of a poll', `${RESULTS}\n${reasonTable()}`),
    section('From attribute to metric', `${ATTRIBUTES_NOTE}\n${attributeTable()}`),
    section('Other members of a node', memberTable()),
    section('Performance from the query interface', QUERY_NOTES),
    section('Recorded series', RECORDED_NOTE + recordingTable()),
    section('Example queries', EXAMPLES_NOTE + exampleQueries()),
    section('History', `${HISTORY_NOTE}\n${familyTable(historyOnlyFamilies())}`),
  ].join('\n')
}

const historyOnlyFamilies = () =>
  HISTORY_FAMILIES.filter(({ name }) => NODE_FAMILIES.every((family) => family.name !== name)).map(feedFamily)

const INTRODUCTION = `<!-- Generated from src/catalogue.ts, src/system_catalogue.ts, src/metrics/families.ts, src/api/errors/reasons.ts and grafana/mixin/rules by \`npm run generate\`: do not edit. -->

# Metrics reference

All metrics of sds-exporter, with their meaning and their source in the storage system.
`

const CONVENTIONS = `- **Labels.** Every node metric has the labels ${NODE_LABELS.map(code).join(', ')}: \`system\` is the name in the configuration, \`pool\` the name of the storage pool, \`node\` the name of the node. If a name is missing or not unique, the id is used. Metrics of a pool and its polls have \`system\`, \`pool\` and \`pool_id\`. \`sds_node_info\` joins \`node\` to \`node_id\`. When a pool is renamed, its series end and new ones begin; the id remains.
- **Absence.** An attribute that a node does not serve, or that cannot be read, has no sample; it is never exported as 0. \`sds_pool_attribute_nodes\` is the number of nodes by attribute and state (served, absent or unreadable); check it if a panel is empty.
- **Staleness.** A failed poll sets \`sds_pool_up\` to 0 at once. The last values remain until \`poll.stale_after\`; then their series end. The series of a node that is no longer in the feed end with the next successful poll.
- **Counters** with a closed set of results (\`sds_pool_polls_total\`, \`sds_query_polls_total\`, \`sds_api_logins_total\`, \`sds_api_rejected_values_by_reason_total\`) start at 0 for each of them, so that \`increase\` sees the first event. A series of \`sds_api_requests_total\` starts with its first request, and one of \`sds_api_rejected_values_total\` with its first rejected value.
- **Selection.** \`/metrics?collect[]=NAME\` has the metrics with these names only, as they are in this document; the parameter may be repeated. In Prometheus it is \`params: {"collect[]": [NAME, …]}\` of the scrape job. An unknown name, or another parameter, is answered with 400. The ordinary \`/metrics\` is prepared before the scrape; a selection is compressed for its first scrape after each poll.
- **Time.** Samples have no timestamps in \`/metrics\`. \`sds_node_sample_timestamp_seconds\` is the time of the newest sample of a category, by the clock of the storage system. Its age, corrected for the difference of the clocks: \`time() - sds_node_sample_timestamp_seconds + on (system) group_left () max by (system) (sds_system_clock_skew_seconds)\`.
- **Units.** The base units of Prometheus. The units of the storage system are converted:

`

const NODES = `All except the histogram are gauges, also counts, because the storage system counts within one sample. Do not use \`rate\` or \`increase\` for gauges. The states of \`sds_node_health_status\` are ${HEALTH_STATES.map(code).join(', ')}; an unknown state adds a series.
`

const RESOURCES_NOTE = `What a system says about itself beyond the nodes feed, by resource ([Resources](configuration.md#resources)). All are gauges. A member that a system does not serve has no sample. The values of a resource replace each other whole. They are withdrawn after three intervals without a success, or after \`poll.stale_after\` if that is longer.
`

const OWN_NOTE = `In addition, the exporter has the default metrics of prom-client: \`process_*\` and \`nodejs_*\`.
`

const RESULTS = `Values of the label \`result\` of \`sds_pool_polls_total\` and \`sds_api_logins_total\`, and of the label \`code\` of \`sds_api_requests_total\` for requests without an HTTP status. [Reasons](reliability.md#reasons) has causes and remedies.
`

const QUERY_NOTES = `- **Nodes.** Rows are joined to the nodes of the feed by \`node_id\`, else by \`host\` and the name of the node, if only one node of the system has it. Other rows are counted in \`sds_query_unmatched_rows_total\`.
- **Absence.** There is no rate after a restart of the counting process, across a gap of more than three intervals of its points, and for the first point of a counter. No older value stands for a newest one that cannot be read, and no sum is made without it. Points older than three intervals and seven minutes by the clock of the system, 22 minutes at the usual interval of five, are not exported.
- **Network.** VLANs of a counted parent, slaves of a bond, the loopback and interfaces of containers are not added. \`performance.interfaces\` replaces this rule. The utilization is that of the busier direction; without speeds, only \`sds_node_nic_utilization_ratio\` exists, and only if the system serves it.
- **Transaction errors.** From \`statDataHead_performance_internal_transactions\`, \`_error\` and \`_error_code\`: \`category\` is User for codes 4xx and System for 5xx. Without codes, \`error_type\` is \`all\`.
- **Latency.** There is no mean. \`sds_node_transaction_latency_seconds\` is a histogram without sum and count: \`histogram_quantile(0.99, sum by (system, operation, le) (rate(sds_node_transaction_latency_seconds_bucket[20m])))\`. Transactions per second are those of the histogram: reads and writes of object data.
- **Ranges.** The histogram counts since the start of a process. Its points come every five minutes and become visible 90 to 420 s later, so the counts change 5 to 15 minutes after the last change: use ranges of at least 20 minutes, or of 30 on a system whose points come less often. All other figures are rates by the times of the points.
- **Check.** \`sds-exporter doctor\` has the state of the Flux API, and compares its bandwidths with those of the dashboard API where a system serves both. If the latter are a multiple of the former, the dashboard API has another unit: set \`performance.feed_bandwidth_unit\` ([Query interface](operations.md#flux-api)).
`

const RECORDED_NOTE = `The rules of \`deploy/prometheus/rules/sds-recording.yml\` record these series once a minute. Alerts and the panels of pools read them, and queries over weeks should: they are one series for each pool or node, whatever number of exporters reports it, and they continue when an exporter is replaced. \`sds:rules_info\` has no system: its labels are the \`version\` of the program that wrote the rules, and the \`file\`, \`sds-recording\` or \`sds-alerts\`.

`

const EXAMPLES_NOTE = `With two exporters every series exists twice. Take \`max by (system, pool, node)\` before a sum, or use a recorded series.

`

/** What is asked, and the query. */
export const EXAMPLE_QUERIES: readonly (readonly [question: string, query: string])[] = [
  [
    'Nodes that are not Good',
    'max by (system, pool, node, status) (sds_node_health_status{status!="Good"}) == 1',
  ],
  [
    'Bad disks by pool',
    'sum by (system, pool) (max by (system, pool, node) (sds_node_disks_by_status{status="Bad"}))',
  ],
  ['Used space by pool', 'system_pool:sds_node_disk_space_allocated_per_total:ratio'],
  [
    'Bytes that each pool grows in a day, over the last week, if no node joined or left',
    'deriv(system_pool:sds_node_disk_space_allocated_bytes:sum[7d]) * 86400 and system_pool:sds_node_disk_space_allocated_bytes:count == system_pool:sds_node_disk_space_allocated_bytes:count offset 7d',
  ],
  [
    'Transactions per second by pool, compared with a week ago',
    'system_pool:sds_node_transactions_per_second:sum / (system_pool:sds_node_transactions_per_second:sum offset 1w > 0)',
  ],
  ['Pools that cannot be polled', 'max by (system, pool, pool_id) (sds_pool_up) == 0'],
  [
    'Failed polls of the last hour by reason',
    'sum by (system, pool, result) (increase(sds_pool_polls_total{result!="ok"}[1h])) > 0',
  ],
  [
    'Attributes that a pool does not serve',
    'max by (system, pool, attribute) (sds_pool_attribute_nodes{state="absent"}) > 0',
  ],
]

const HISTORY_NOTE = `\`sds-exporter backfill\` ([History](history.md)) has the past of ${HISTORY_FAMILIES.length} families under the same names, labels and units as \`/metrics\`. Identity, health, disks and forecasts have no past in the storage system. Of current systems, figures of performance come from the query interface; only there, ${QUERY_HISTORY_FAMILIES.map(({ name }) => code(name)).join(', ')} have a past. In its history the storage system counts the reserve as free space, which it does not in the current value; the history therefore has names of its own:
`

const ATTRIBUTES_NOTE = `The flat attributes of the nodes feed. ECS since release 3.6 and ObjectScale do not serve the categories ${PERFORMANCE_CATEGORIES.map(code).join(', ')} in this feed. For these systems, the values are calculated from the query interface: the last column has measurement and fields. Rates are those between the last two points, which come every five minutes. Attributes without "yes" in the column "ECS 3.6+" and without a query, such as the mean latencies, do not exist there. An attribute that the feed of a pool serves is never taken from the query interface; the label \`source\` of \`sds_pool_attribute_nodes\` is the source of each attribute. Some releases also omit \`diskSpaceOfflineTotal\` and \`diskSpaceReserved\`. *Current only* attributes have no history in the storage system.
`

function section(title: string, body: string): string {
  return `## ${title}\n\n${body}`
}

function unitTable(): string {
  const rows = Object.entries(UNITS)
    .filter(([, { base }]) => base !== '')
    .map(([unit, { base, toBase }]) => [unit, base.replaceAll('_', ' '), toBase(1)])
  return markdownTable(['At the source', 'Exported as', 'One is'], rows)
}

/** A table would have `|` of regular expressions and line breaks in its cells. */
function codeList(entries: readonly (readonly [title: string, query: string])[]): string {
  return entries.map(([title, query]) => `${title}:\n\n\`\`\`promql\n${query}\n\`\`\`\n`).join('\n')
}

function recordingTable(): string {
  const { info, recording } = resolve(RULE_SOURCES, DEFAULT_VALUES)
  const rules = [info, ...recording.flatMap(({ recordings }) => recordings)]
  return codeList(rules.map(({ record, expr }) => [code(record), expr]))
}

function exampleQueries(): string {
  return codeList(EXAMPLE_QUERIES)
}

function familyTable(families: readonly Family[]): string {
  const rows = families.map(({ name, type, unit, labels, help }) => [
    code(name),
    type,
    unit.replaceAll('_', ' '),
    labels.map(code).join(', '),
    help,
  ])
  return markdownTable(['Metric', 'Type', 'Unit', 'Labels', 'Meaning'], rows)
}

/** The requests of the resources, with the evidence for their members. */
function requestTable(): string {
  const rows = [...OBJECT_KINDS.values()].map((kind) => [
    code(kind.resource),
    code(requestText(kind)),
    'SYSTEM_MONITOR',
    evidenceText(kind),
  ])
  return markdownTable(['Resource', 'Request', 'Role', 'Evidence'], unique(rows))
}

function evidenceText({ isUnproven, families }: ObjectKind): string {
  if (isUnproven === true) return 'documented, unproven'
  const unproven = Object.entries(families).flatMap(([family, row]) => (row.isUnproven ? [code(family)] : []))
  const except = unproven.length === 0 ? '' : `; documented, unproven: ${unproven.join(', ')}`
  return `answers of real systems${except}`
}

function unique(rows: readonly (readonly string[])[]): (readonly string[])[] {
  return [...new Map(rows.map((row) => [row.join('|'), row])).values()]
}

function reasonTable(): string {
  const rows = Object.entries(REASONS).map(([reason, { text }]) => [code(reason), text])
  return markdownTable(['Result', 'Meaning'], [[code('ok'), 'success'], ...rows])
}

function attributeTable(): string {
  const head = [
    'Attribute',
    'Category',
    'Value tag',
    'Source unit',
    'Current only',
    'ECS 3.6+',
    'Metric',
    'Query interface',
  ]
  return markdownTable(head, ATTRIBUTES.map(attributeRow))
}

function attributeRow({ name, category, tag, unit, currentOnly, family, labels }: Attribute): string[] {
  const modern = PERFORMANCE_CATEGORIES.includes(category) ? '' : 'yes'
  const query = querySourceText(name)
  return [
    code(name),
    category,
    tag,
    unit,
    currentOnly ? 'yes' : '',
    modern,
    code(series(family, labels)),
    query === undefined ? '' : code(query),
  ]
}

function series(family: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return pairs.length === 0 ? family : `${family}{${pairs.join(',')}}`
}

/** Exported members that are not flat attributes: identity, counts, transaction errors, forecasts. */
function memberTable(): string {
  const flat = new Set<string>(ATTRIBUTES.map(({ name }) => name))
  const rows = NODE_FAMILIES.flatMap(({ name, sources }) =>
    sources.filter((source) => !flat.has(source)).map((source) => [code(source), code(name)]),
  )
  return markdownTable(['Member', 'Metric'], rows)
}

/** The source of an attribute in words; undefined: the query interface does not have it. */
function querySourceText(name: AttributeName): string | undefined {
  const source = QUERY_ATTRIBUTES.find((attribute) => attribute.name === name)?.source
  if (source === undefined) return undefined
  if (source.kind === 'network') {
    const fields = source.directions.map((direction) => NETWORK_FIELDS[direction])
    const text = `net: ${fields.join(source.of === 'bandwidth' ? ' + ' : ', ')}`
    return source.of === 'bandwidth' ? text : `${text} by speed`
  }
  const measurement =
    source.measurement === undefined ? '*_IO_Statistics_data_*' : MEASUREMENTS[source.measurement].name
  const id = source.kind === 'rate' && source.tags !== undefined ? ` (id ${source.tags['id']})` : ''
  return `${measurement}: ${source.fields.join(' + ')}${id}`
}
