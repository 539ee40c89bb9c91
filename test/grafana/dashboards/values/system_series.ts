import { type InputSeries, increasingOnBoth, type Labels, NOW, onBoth } from './series.ts'

/** What two systems report about themselves: one of several sites in trouble, and one of one site without. */

const FRA = { system: 'fra' } as const
const MUC = { system: 'muc' } as const
const POOL = { ...FRA, pool: 'p1', pool_id: 'id1' } as const
const OTHER_POOL = { ...MUC, pool: 'p1', pool_id: 'id3' } as const

/** One series for each value of a label. */
const each = (name: string, labels: Labels, label: string, values: Readonly<Record<string, number>>) =>
  Object.entries(values).flatMap(([value, number]) => onBoth(name, { ...labels, [label]: value }, number))

const DISK_STATES = ['Good', 'Bad', 'Maintenance', 'ReadyToReplace']
const NODE_STATES = ['Good', 'Bad', 'Maintenance']
const SEVERITIES = ['Critical', 'Error', 'Warning', 'Info']
const numbered = (names: readonly string[], numbers: readonly number[]) =>
  Object.fromEntries(names.map((name, index) => [name, numbers[index] ?? 0]))

interface Counts {
  readonly alerts: readonly number[]
  readonly nodes: number
  readonly nodesByStatus: readonly number[]
  readonly disks: number
  readonly disksByStatus: readonly number[]
  readonly tables: { readonly unready: number; readonly unknown: number }
}
const countsOf = (system: Labels, counts: Counts): InputSeries[] => [
  ...each('sds_system_alerts_unacknowledged', system, 'severity', numbered(SEVERITIES, counts.alerts)),
  ...onBoth('sds_system_nodes', system, counts.nodes),
  ...each('sds_system_nodes_by_status', system, 'status', numbered(NODE_STATES, counts.nodesByStatus)),
  ...onBoth('sds_system_disks', system, counts.disks),
  ...each('sds_system_disks_by_status', system, 'status', numbered(DISK_STATES, counts.disksByStatus)),
  ...each('sds_system_directory_tables_by_state', system, 'state', counts.tables),
]

const systems: readonly InputSeries[] = [
  ...onBoth('sds_system_vdc_info', { ...FRA, vdc: 'vdc-fra' }, 1),
  ...countsOf(FRA, {
    ...{ alerts: [1, 2, 3, 4], nodes: 4, nodesByStatus: [2, 1, 0], disks: 20, disksByStatus: [17, 1, 0, 1] },
    tables: { unready: 2, unknown: 1 },
  }),
  ...countsOf(MUC, {
    ...{ alerts: [0, 0, 5, 1], nodes: 2, nodesByStatus: [2, 0, 0], disks: 8, disksByStatus: [8, 0, 0, 0] },
    tables: { unready: 0, unknown: 0 },
  }),
  ...onBoth('sds_node_software_info', { ...FRA, node: 'n1', version: '3.8.0' }, 1),
  ...onBoth('sds_node_software_info', { ...FRA, node: 'n2', version: '3.8.1' }, 1),
  ...onBoth('sds_node_software_info', { ...MUC, node: 'n1', version: '3.8.1' }, 1),
  ...each('sds_resource_available', FRA, 'resource', { system: 1, buckets: 0 }),
  ...each('sds_resource_up', FRA, 'resource', { system: 0, namespaces: 1 }),
  ...each('sds_resource_last_success_timestamp_seconds', FRA, 'resource', {
    system: NOW - 60,
    namespaces: NOW,
  }),
  ...each('sds_resource_objects', { ...FRA, resource: 'system' }, 'state', {
    exported: 1,
    left_out: 0,
    rejected: 0,
  }),
  ...each('sds_resource_objects', { ...FRA, resource: 'namespaces' }, 'state', {
    exported: 500,
    left_out: 9,
    rejected: 1,
  }),
]

const pools: readonly InputSeries[] = [
  ...each('sds_pool_nodes_by_status', POOL, 'status', { Good: 2, Bad: 1, Maintenance: 0 }),
  ...onBoth('sds_pool_disks', POOL, 20),
  ...each('sds_pool_disks_by_status', POOL, 'status', { Good: 17, Bad: 1, ReadyToReplace: 1 }),
  ...onBoth('sds_pool_disk_space_allocated_bytes', POOL, 1000),
  ...each('sds_pool_disk_space_allocated_purpose_bytes', POOL, 'purpose', {
    user_data: 600,
    geo_copy: 250,
  }),
  ...each('sds_pool_garbage_pending_bytes', POOL, 'scope', { user: 100, system: 10 }),
  ...each('sds_pool_garbage_pending_bytes', OTHER_POOL, 'scope', { user: 5 }),
  ...each('sds_pool_garbage_collection_enabled', POOL, 'scope', { user: 0, system: 1 }),
  ...onBoth('sds_pool_recovery_bad_chunks_bytes', POOL, 1000),
  ...onBoth('sds_pool_sample_timestamp_seconds', { ...POOL, category: 'recovery' }, NOW - 300),
  ...onBoth('sds_pool_erasure_coding_applicable_bytes', POOL, 1000),
  ...onBoth('sds_pool_erasure_coding_coded_bytes', POOL, 940),
  ...onBoth('sds_pool_erasure_coding_applicable_bytes', OTHER_POOL, 1000),
  ...onBoth('sds_pool_erasure_coding_coded_bytes', OTHER_POOL, 1000),
]

const GROUP = { ...FRA, replication_group: 'rg1' } as const
const OTHER_GROUP = { ...FRA, replication_group: 'rg2' } as const
const IDLE_GROUP = { ...FRA, replication_group: 'rg3' } as const
const LINK = { local_vdc: 'vdc-fra', remote_vdc: 'vdc-oslo' } as const
const PENDING = 'sds_replication_group_pending_bytes'

const replication: readonly InputSeries[] = [
  ...onBoth('sds_replication_group_sites', { ...GROUP, replication_group_id: 'g1' }, 3),
  ...each(PENDING, { ...GROUP, replication_group_id: 'g1' }, 'kind', { repository: 50, journal: 5, xor: 1 }),
  ...onBoth('sds_replication_group_lag_seconds', GROUP, 600),
  ...each(PENDING, { ...OTHER_GROUP, replication_group_id: 'g2' }, 'kind', { repository: 9 }),
  ...onBoth(
    'sds_replication_group_recovery_point_timestamp_seconds',
    { ...OTHER_GROUP, replication_group_id: 'g2' },
    NOW - 198,
  ),
  ...each(PENDING, { ...IDLE_GROUP, replication_group_id: 'g3' }, 'kind', { repository: 0 }),
  ...onBoth('sds_replication_group_lag_seconds', IDLE_GROUP, 90_000),
  ...onBoth('sds_replication_links_failed', FRA, 1),
  ...onBoth('sds_replication_links_failed', MUC, 0),
  ...onBoth('sds_replication_link_failed', { ...GROUP, ...LINK }, 1),
  ...onBoth('sds_replication_link_bootstrap_ratio', { ...OTHER_GROUP, ...LINK }, 0.5),
]

const FULL = { ...FRA, namespace: 'full' } as const
const GROWS = { ...FRA, namespace: 'grows' } as const
const FREE = { ...MUC, namespace: 'free' } as const
const BUCKET = { ...FULL, bucket: 'b1' } as const
const QUOTA = 'sds_namespace_quota_bytes'

const namespaces: readonly InputSeries[] = [
  ...onBoth('sds_namespace_used_bytes', FULL, 900),
  ...each(QUOTA, FULL, 'limit', { hard: 1000, soft: 800 }),
  ...onBoth('sds_namespace_quota_objects', { ...FULL, limit: 'hard' }, 77),
  ...onBoth('sds_namespace_objects', FULL, 30),
  ...onBoth('sds_namespace_objects', FREE, 4),
  ...increasingOnBoth('sds_namespace_used_bytes', GROWS, 1),
  ...each(QUOTA, GROWS, 'limit', { hard: 240 }),
  ...onBoth('sds_namespace_used_bytes', FREE, 5000),
  ...onBoth('sds_namespace_multipart_bytes', FREE, 7),
  ...onBoth('sds_namespace_usage_timestamp_seconds', FREE, NOW - 900),
  ...onBoth('sds_bucket_used_bytes', BUCKET, 90),
  ...onBoth('sds_bucket_objects', BUCKET, 3),
  ...onBoth('sds_bucket_quota_bytes', { ...BUCKET, limit: 'hard' }, 100),
  ...onBoth('sds_namespace_buckets', FULL, 2),
]

/** All series of the resources. */
export const RESOURCE_SERIES: readonly InputSeries[] = [...systems, ...pools, ...replication, ...namespaces]
