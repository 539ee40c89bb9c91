/**
 * Everything that is known of what a system says about itself beyond its nodes, as tables: the resources, the objects
 * that they list, and the members of an object with unit and metric.
 *
 * Decoding, samples, HELP texts, default schedules and the metrics reference are derived from these tables, so a new
 * resource is rows here, and the metric names that dashboards and rules may use are typed from them. Sources: REST
 * references of ECS and ObjectScale, and published answers of real systems.
 */
import { DISK_COUNTS, type Labels, type SourceUnit, unitOf } from './catalogue.ts'
import { MEASUREMENTS, type MeasurementName, QUERY_PATH } from './query_catalogue.ts'

/** What is known of a resource, and the keys of its section in the configuration with their defaults. */
export interface ResourceRow {
  /** The subject of messages such as `… could not be read`. */
  readonly text: string
  /** The default; empty: off. */
  readonly schedule: string
  /** Its section, if that is not `resources.<name>`. */
  readonly section?: 'discovery' | 'providers'
  /** It has no section: the Flux API is asked on the schedule of performance. */
  readonly isQueried?: true
  /** The polls need it: it cannot be turned off, and its requests go before those of resources. */
  readonly isOfPolls?: true
  /** Whether names are selected by the keys `include` and `exclude`. */
  readonly hasFilter?: true
  /** The key with the number of objects that are exported, and the bound of memory. */
  readonly max?: { readonly key: string; readonly default: number; readonly most: number }
  /** It is read from this port of the nodes, by default, instead of the management API. */
  readonly dataPort?: { readonly scheme: 'http' | 'https'; readonly port: number }
  /** What `name` and `id` in its responses are of. */
  readonly names: 'vdc' | 'pool' | 'replication-group' | 'namespace' | 'bucket' | 'node' | 'provider' | 'name'
}

/** The resources. Each has its own schedule, age and limits. */
export const RESOURCES = {
  system: { text: 'the state of the whole system', schedule: '15 * * * * *', names: 'vdc' },
  pools: {
    text: 'the capacity of the pools',
    schedule: '30 */5 * * * *',
    section: 'discovery',
    isOfPolls: true,
    names: 'pool',
  },
  replication: {
    text: 'the replication groups and links',
    schedule: '45 */5 * * * *',
    names: 'replication-group',
  },
  namespaces: {
    text: 'the usage of namespaces',
    schedule: '0 */15 * * * *',
    hasFilter: true,
    // A namespace takes ten series, and a bucket four.
    max: { key: 'max', default: 500, most: 5000 },
    names: 'namespace',
  },
  quotas: { text: 'the quotas of namespaces', schedule: '0 20 * * * *', names: 'namespace' },
  buckets: {
    text: 'the usage and quotas of buckets',
    schedule: '',
    hasFilter: true,
    max: { key: 'top', default: 100, most: 5000 },
    names: 'bucket',
  },
  inventory: { text: 'software versions and license', schedule: '0 40 * * * *', names: 'node' },
  data_nodes: {
    text: 'the connections and the maintenance mode of nodes, from their data ports',
    schedule: '',
    hasFilter: true,
    dataPort: { scheme: 'https', port: 9021 },
    names: 'node',
  },
  providers: {
    text: 'the list of authentication providers',
    schedule: '0 */15 * * * *',
    section: 'providers',
    names: 'provider',
  },
  system_queries: {
    text: 'the directory tables and the replication lag',
    isQueried: true,
    schedule: '',
    names: 'name',
  },
} as const satisfies Record<string, ResourceRow>
export type ResourceName = keyof typeof RESOURCES
export type ResourceSection = NonNullable<ResourceRow['section']>
export const RESOURCE_NAMES = Object.keys(RESOURCES) as readonly ResourceName[]

/** Groups of values of a pool whose snapshots have a time of their own. */
const SAMPLE_CATEGORIES = ['capacity', 'garbage', 'recovery', 'erasure_coding'] as const
export type SampleCategory = (typeof SAMPLE_CATEGORIES)[number]

/** A member of an object: `a|b` is the first of two that the object has. */
type Member = string
/** One member; or a label, and the member of each of its values; or nothing: the value is 1 for each object. */
type Members = Member | Readonly<Record<string, Readonly<Record<string, Member>>>> | undefined

interface FamilyRow {
  readonly unit: SourceUnit
  readonly members: Members
  readonly help: string
  /** The member with the value of a snapshot `{t, <tag>}`. A bare number is accepted, too. */
  readonly tag?: string
  /** The category whose newest time includes the snapshots. */
  readonly category?: SampleCategory
  /** The value is exported only while this family of the object has a value above 0, and if it is not in the future. */
  readonly onlyWhile?: string
  /** A further label with a text of the object; without the text there is no sample. */
  readonly text?: { readonly label: string; readonly member: string }
  /** Only documents have it; no published answer of a real system shows a value. */
  readonly isUnproven?: true
}

interface ObjectRow {
  readonly resource: ResourceName
  /** Below the base URL; `{namespace}` stands for a name. */
  readonly path: string
  readonly query?: string
  readonly method?: 'POST'
  /** Measurement of the Flux API: members are fields, and those of labels are tags. */
  readonly measurement?: MeasurementName
  /** The member with the list; undefined: the answer is one object. */
  readonly list?: readonly string[]
  /** An empty list may be `{}` or null. */
  readonly mayLackList?: true
  /** Labels of every series of an object, with their members. */
  readonly labels: Readonly<Record<string, Member>>
  /** The member with the id, which replaces the first label if that is missing or not unique. */
  readonly id?: string
  /** Further names of the object, with their members; they are not labels of its series. */
  readonly details?: Readonly<Record<string, Member>>
  /**
   * Objects that are decoded at most, of one response or of all pages of a list. What a response has beyond that is counted
   * as left out; a list of names beyond it is refused, because the largest may be missing.
   */
  readonly max?: number
  readonly count?: { readonly family: `sds_${string}`; readonly help: string }
  readonly families: Readonly<Record<`sds_${string}`, FamilyRow>>
  /** It is part of another object: read with it, and not counted again. */
  readonly isPart?: true
  /** The response is that to another request of the exporter, the list of pools. */
  readonly isListOfPools?: true
  /** Reads the objects, where that takes more than one request. */
  readonly reader?: 'namespaces' | 'quotas' | 'buckets' | 'dataPorts'
  /** Objects whose reading comes first; when there are others of them, this one is read again. */
  readonly after?: string
  /** Only those are exported whose first label an exported object of this kind has, while that is known. */
  readonly within?: string
  /** The first label is the id or the name of an object of this kind, and replaced by its label. */
  readonly namedBy?: string
  /** Different texts of the objects that are exported at most. */
  readonly maxTexts?: number
  /** The details are those of the nodes of the pools: their series are rendered again. */
  readonly isOfNodes?: true
  /** Names and ids of objects of the system itself, which are left out. */
  readonly internal?: RegExp
  readonly isUnproven?: true
}

/** A row with a list has a maximum. */
type BoundedRow = ObjectRow & ({ readonly list?: never } | Required<Pick<ObjectRow, 'list' | 'max'>>)

const family = (
  unit: SourceUnit,
  members: Members,
  help: string,
  more: Pick<FamilyRow, 'tag' | 'category' | 'text' | 'onlyWhile' | 'isUnproven'> = {},
): FamilyRow => ({ unit, members, help, ...more })
const count = (members: Members, help: string, more?: Parameters<typeof family>[3]) =>
  family('count', members, help, more)
/** The value is 1 for each object. */
const info = (help: string, more?: Parameters<typeof family>[3]) => count(undefined, help, more)

/** Pools of a system. Each costs one request for each poll. */
export const MAX_POOLS = 1_000
/** Namespaces of a system, and buckets of a namespace. */
const MAX_NAMES = 50_000

/** The list of a dashboard, within `_embedded`: the first on real systems, the second in the API document. */
export const INSTANCES = ['_instances', 'instances'] as const
const CURRENT = 'dataType=current'
const ZONE = '/dashboard/zones/localzone'
const KIB_QUERY = 'sizeunit=KB'

const NODES = { status: { Good: 'numGoodNodes', Bad: 'numBadNodes', Maintenance: 'numMaintenanceNodes' } }
const DISKS = {
  status: Object.fromEntries(Object.entries(DISK_COUNTS).map(([member, status]) => [status, member])),
}
const space = (member: Member, help: string) =>
  family('Bytes', member, help, { tag: 'Space', category: 'capacity' })
const coded = (member: Member, help: string) =>
  family('Bytes', member, help, { tag: 'Space', category: 'erasure_coding' })
const garbage = (what: string, help: string) => {
  const scope = { user: `gcUser${what}Current`, system: `gcSystem${what}Current` }
  return family('Bytes', { scope }, help, { tag: 'Capacity', category: 'garbage' })
}
const queried = <const Name extends MeasurementName>(measurement: Name) =>
  ({ method: 'POST', path: QUERY_PATH, measurement }) as const
/** A list of the dashboard, with the present values only. */
const listed = (name: string) => ({ path: `${ZONE}/${name}`, query: CURRENT, list: INSTANCES }) as const
const LINK = { replication_group: 'rgName', local_vdc: 'zone1Name', remote_vdc: 'zone2Name' } as const

/** The internal replication group, which has no data. */
const INTERNAL_GROUP = /:00000000-0000-0000-0000-000000000000:global$/

/** The objects of the resources. The role SYSTEM_MONITOR may read all of them. */
const OBJECTS = {
  vdc: {
    resource: 'system',
    path: ZONE,
    query: CURRENT,
    labels: {},
    families: {
      sds_system_vdc_info: info('The virtual data center (VDC) that the system is: always 1.', {
        text: { label: 'vdc', member: 'name' },
      }),
      sds_system_nodes: count(
        'numNodes',
        'Nodes of the system. Those in no status of sds_system_nodes_by_status are Suspect or not accessible.',
      ),
      sds_system_nodes_by_status: count(
        NODES,
        'Nodes of the system, by status. A node that is not available is in no status for an hour, then Bad.',
      ),
      sds_system_disks: count('numDisks', 'Disks of the system.'),
      sds_system_disks_by_status: count(DISKS, 'Disks of the system, by status.'),
      sds_system_alerts_unacknowledged: count(
        {
          severity: {
            Critical: 'alertsNumUnackCritical',
            Error: 'alertsNumUnackError',
            Warning: 'alertsNumUnackWarning',
            Info: 'alertsNumUnackInfo',
          },
        },
        'Unacknowledged alerts of the system, by severity.',
        { tag: 'Count' },
      ),
    },
  },
  pool: {
    resource: 'pools',
    isListOfPools: true,
    ...listed('storagepools'),
    labels: { pool: 'name', pool_id: 'id' },
    id: 'id',
    max: MAX_POOLS,
    families: {
      sds_pool_disk_space_total_bytes: space('diskSpaceTotalCurrent', 'Usable disk space of the pool.'),
      sds_pool_disk_space_allocated_bytes: space(
        'diskSpaceAllocatedCurrent',
        'Disk space of the pool that is allocated for chunks.',
      ),
      sds_pool_disk_space_free_bytes: space(
        'diskSpaceFreeCurrent',
        'Free disk space of the pool, without the reserve.',
      ),
      sds_pool_disk_space_reserved_bytes: space(
        'diskSpaceReservedCurrent',
        'Disk space of the pool that is held in reserve.',
      ),
      sds_pool_disk_space_offline_bytes: space(
        'diskSpaceOfflineTotalCurrent',
        'Disk space of the pool that is offline.',
      ),
      sds_pool_disk_space_allocated_purpose_bytes: family(
        'Bytes',
        {
          purpose: {
            user_data: 'diskSpaceAllocatedUserDataCurrent',
            system_metadata: 'diskSpaceAllocatedSystemMetadataCurrent',
            local_protection: 'diskSpaceAllocatedLocalProtectionCurrent',
            geo_copy: 'diskSpaceAllocatedGeoCopyCurrent',
            geo_cache: 'diskSpaceAllocatedGeoCacheCurrent',
          },
        },
        'Allocated disk space of the pool, by purpose. There are more purposes: the sum is less than the allocated space.',
        { tag: 'Capacity', category: 'capacity' },
      ),
      sds_pool_nodes_by_status: count(NODES, 'Nodes of the pool, by status.'),
      sds_pool_disks: count('numDisks', 'Disks of the pool.'),
      sds_pool_disks_by_status: count(DISKS, 'Disks of the pool, by status.'),
      sds_pool_garbage_pending_bytes: garbage(
        'Pending',
        'Garbage of the pool that is to be reclaimed, by scope.',
      ),
      sds_pool_garbage_unreclaimable_bytes: garbage(
        'Unreclaimable',
        'Garbage of the pool that cannot be reclaimed yet, because its chunks have valid data, too, by scope.',
      ),
      sds_pool_garbage_reclaimed_bytes: garbage(
        'Reclaimed',
        'Garbage of the pool that was reclaimed since the system was built, by scope. A gauge, because it may decrease.',
      ),
      sds_pool_garbage_detected_bytes: garbage(
        'TotalDetected',
        'Garbage of the pool that was detected since the system was built, by scope: pending, unreclaimable and reclaimed.',
      ),
      sds_pool_garbage_collection_enabled: family(
        'flag',
        { scope: { user: 'gcUserDataIsEnabled', system: 'gcSystemMetadataIsEnabled' } },
        '1 if garbage collection is enabled, else 0, by scope.',
      ),
      sds_pool_recovery_bad_chunks_bytes: family(
        'Bytes',
        'recoveryBadChunksTotalSizeCurrent',
        'Data of the pool that is to be recovered, because its chunks are bad. It may be the last value of weeks ago: see sds_pool_sample_timestamp_seconds{category="recovery"}.',
        { tag: 'Space', category: 'recovery' },
      ),
      sds_pool_erasure_coding_applicable_bytes: coded(
        'chunksEcApplicableTotalSealSizeCurrent',
        'Data of the pool that is erasure coded or is to be.',
      ),
      sds_pool_erasure_coding_coded_bytes: coded(
        'chunksEcCodedTotalSealSizeCurrent',
        'Data of the pool that is erasure coded.',
      ),
    },
  },
  group: {
    resource: 'replication',
    internal: INTERNAL_GROUP,
    ...listed('replicationgroups'),
    labels: { replication_group: 'name', replication_group_id: 'id' },
    id: 'id',
    max: 100,
    families: {
      sds_replication_group_sites: count('numZones', 'Sites (VDCs) of the replication group.'),
      sds_replication_group_pending_bytes: family(
        'Bytes',
        {
          kind: {
            repository: 'chunksRepoPendingReplicationTotalSize',
            journal: 'chunksJournalPendingReplicationTotalSize',
            xor: 'chunksPendingXorTotalSize',
          },
        },
        'Replication backlog of the replication group, by kind. The kinds do not overlap.',
        { tag: 'Space' },
      ),
      sds_replication_group_recovery_point_timestamp_seconds: family(
        'time',
        'replicationRpoTimestamp',
        'Time of the oldest data not yet replicated to every site, in seconds since the epoch; only while something is pending.',
        { onlyWhile: 'sds_replication_group_pending_bytes', isUnproven: true },
      ),
    },
  },
  failedLink: {
    resource: 'replication',
    ...listed('rglinksFailed'),
    labels: LINK,
    max: 200,
    count: {
      family: 'sds_replication_links_failed',
      help: 'Replication links of the system that have failed; 0 if none has.',
    },
    isUnproven: true,
    families: {
      sds_replication_link_failed: info('A replication link that has failed: always 1.'),
    },
  },
  bootstrapLink: {
    resource: 'replication',
    ...listed('rglinksBootstrap'),
    labels: LINK,
    max: 200,
    isUnproven: true,
    families: {
      sds_replication_link_bootstrap_ratio: family(
        'Percent',
        'BootstrapProgressPercent|bootstrapProgressPercent',
        'Progress of a replication link that copies the existing data to a new site (0 to 1).',
        { tag: 'Percent' },
      ),
    },
  },
  namespace: {
    resource: 'namespaces',
    reader: 'namespaces',
    method: 'POST',
    path: '/object/billing/namespace/info',
    query: KIB_QUERY,
    list: ['namespace_billing_infos', 'namespace_billing_info'],
    max: 5_000,
    labels: { namespace: 'namespace' },
    families: {
      sds_namespace_used_bytes: family(
        'KiB',
        'total_size',
        'Size of the objects of the namespace, without protection overhead.',
      ),
      sds_namespace_objects: count('total_objects', 'Objects of the namespace.'),
      sds_namespace_multipart_bytes: family(
        'KiB',
        'total_mpu_size',
        'Size of the parts of multipart uploads of the namespace that are not completed.',
      ),
      sds_namespace_usage_timestamp_seconds: family(
        'time',
        'uptodate_till|sample_time',
        'Time up to which the usage of the namespace is consistent, in seconds since the epoch; if the system does not tell, the time at which it was read.',
      ),
    },
  },
  quota: {
    resource: 'quotas',
    reader: 'quotas',
    after: 'namespace',
    within: 'namespace',
    path: '/object/namespaces/namespace/{namespace}/quota',
    max: MAX_NAMES,
    labels: { namespace: 'namespace|name|id' },
    families: {
      sds_namespace_quota_bytes: family(
        'GiB',
        { limit: { hard: 'blockSize', soft: 'notificationSize' } },
        'Quota of the namespace, by limit: writes beyond the hard one are refused. Absent if there is none.',
      ),
      sds_namespace_quota_objects: family(
        'quota',
        { limit: { hard: 'blockSizeInCount', soft: 'notificationSizeInCount' } },
        'Quota of the namespace in objects, by limit. Absent if there is none.',
      ),
    },
  },
  bucket: {
    resource: 'buckets',
    reader: 'buckets',
    after: 'namespace',
    method: 'POST',
    path: '/object/billing/buckets/{namespace}/info',
    query: KIB_QUERY,
    list: ['bucket_billing_infos', 'bucket_billing_info'],
    max: 5_000,
    labels: { namespace: 'namespace', bucket: 'name' },
    families: {
      sds_bucket_used_bytes: family(
        'KiB',
        'total_size',
        'Size of the objects of the bucket, without protection overhead.',
      ),
      sds_bucket_objects: count('total_objects', 'Objects of the bucket.'),
    },
  },
  bucketQuota: {
    resource: 'buckets',
    path: '/object/bucket',
    list: ['object_bucket', 'object_buckets'],
    max: MAX_NAMES,
    isPart: true,
    labels: { namespace: 'namespace', bucket: 'name' },
    families: {
      sds_bucket_quota_bytes: family(
        'GiB',
        { limit: { hard: 'block_size|blockSize', soft: 'notification_size|notificationSize' } },
        'Quota of the bucket, by limit: writes beyond the hard one are refused. Absent if there is none.',
      ),
    },
  },
  bucketCount: {
    resource: 'buckets',
    within: 'namespace',
    path: '/object/bucket',
    isPart: true,
    labels: { namespace: 'namespace' },
    families: {
      sds_namespace_buckets: count('buckets', 'Buckets of the namespace, exported or not.'),
    },
  },
  node: {
    resource: 'inventory',
    maxTexts: 20,
    isOfNodes: true,
    path: '/vdc/nodes',
    list: ['node', 'nodes'],
    max: 20_000,
    labels: { node: 'nodename' },
    id: 'nodeid',
    details: { rack: 'rackId', address: 'mgmt_ip|ip|data_ip', dataAddress: 'data_ip', version: 'version' },
    families: {
      sds_node_software_info: info('Software version of a node: always 1.', {
        text: { label: 'version', member: 'version' },
      }),
    },
  },
  dataNode: {
    resource: 'data_nodes',
    reader: 'dataPorts',
    after: 'node',
    path: '/',
    query: 'ping',
    list: ['PingItem'],
    max: 20_000,
    labels: { node: 'nodename' },
    id: 'nodeid',
    isUnproven: true,
    families: {
      sds_node_active_connections: count('LOAD_FACTOR', 'Active connections of clients to the node.'),
      sds_node_maintenance_mode: family(
        'flag',
        'MAINTENANCE_MODE',
        '1 if the node is in maintenance mode, else 0; absent unless resources.data_nodes.maintenance is set, and while the node does not know it.',
      ),
    },
  },
  license: {
    resource: 'inventory',
    path: '/license',
    list: ['license_feature', 'license_features'],
    max: 1_000,
    labels: {},
    isUnproven: true,
    families: {
      sds_system_license_expired: family(
        'flag',
        'expired_ind',
        '1 if a licensed feature of the system has expired, else 0.',
      ),
      sds_system_license_expiry_timestamp_seconds: family(
        'time',
        'expiration_date',
        'Time at which the first licensed feature expires, in seconds since the epoch; absent if the system has no date.',
      ),
    },
  },
  provider: {
    resource: 'providers',
    path: '/vdc/admin/authnproviders',
    list: ['authnprovider', 'authnproviders'],
    mayLackList: true,
    max: 2_000,
    labels: { provider: 'name', provider_id: 'id' },
    id: 'id',
    count: {
      family: 'sds_authn_providers',
      help: 'Authentication providers of the system; absent while the list cannot be read, for example without the role.',
    },
    families: {
      sds_authn_provider_info: info('An authentication provider of the system: always 1.'),
    },
  },
  directoryTables: {
    resource: 'system_queries',
    ...queried('directoryTables'),
    labels: {},
    families: {
      sds_system_directory_tables: count('total', 'Directory tables of the system.'),
      sds_system_directory_tables_by_state: count(
        { state: { unready: 'unready', unknown: 'unknown' } },
        'Directory tables of the system that are not ready (unready), or whose state is not known (unknown).',
      ),
    },
  },
  replicationLag: {
    resource: 'system_queries',
    after: 'group',
    namedBy: 'group',
    internal: INTERNAL_GROUP,
    ...queried('replicationLag'),
    labels: { replication_group: 'Replication_Group' },
    max: 100,
    isUnproven: true,
    families: {
      sds_replication_group_lag_seconds: family(
        'ms of lag',
        'RPO_Lag_Millis',
        'Age of the oldest data of the replication group not yet replicated to every site.',
      ),
    },
  },
} as const satisfies Record<string, BoundedRow>
export type ObjectName = keyof typeof OBJECTS

/** A row of {@link OBJECTS} with its columns. */
export interface ObjectKind extends ObjectRow {
  readonly name: ObjectName
  readonly after?: ObjectName
  readonly within?: ObjectName
  readonly namedBy?: ObjectName
  /** One column for each member. */
  readonly columns: readonly Column[]
}

/** A member of an object, with the series that it becomes. */
export type Column = Readonly<ReturnType<typeof columnsOf>[number]>

export const OBJECT_KINDS = Object.fromEntries(
  Object.entries(OBJECTS).map(([name, row]: [string, ObjectRow]) => {
    const columns = Object.entries(row.families).flatMap(columnsOf)
    return [name, { ...row, name, columns }]
  }),
) as unknown as Readonly<Record<ObjectName, ObjectKind>>

/** The objects that are read with requests of their own, for a resource or for all. */
export function kindsOf(resource?: ResourceName): readonly ObjectKind[] {
  const kinds = Object.values(OBJECT_KINDS).filter(({ isPart }) => isPart !== true)
  return resource === undefined ? kinds : kinds.filter((kind) => kind.resource === resource)
}

export function kindWith(role: 'isListOfPools' | 'isOfNodes'): ObjectKind {
  const kind = kindsOf().find((one) => one[role])
  if (kind === undefined) throw new RangeError(`no objects with ${role}`)
  return kind
}

function columnsOf([family, { members, unit, tag = '', category, text, onlyWhile }]: [string, FamilyRow]) {
  return labelledMembers(members).map(([labels, names]) => ({
    family,
    labels,
    /** Names of the member, of which the first that the object has is used; empty: the value is 1. */
    members: names === '' ? [] : names.split('|'),
    unit,
    tag,
    category,
    text,
    onlyWhile,
  }))
}

function labelledMembers(members: Members): [labels: Labels, names: Member][] {
  if (typeof members !== 'object') return [[{}, members ?? '']]
  return Object.entries(members).flatMap(([label, values]) =>
    Object.entries(values).map(([value, names]): [Labels, Member] => [{ [label]: value }, names]),
  )
}

/** The newest time of the snapshots of a pool. */
export const POOL_SAMPLE_TIME = {
  name: 'sds_pool_sample_timestamp_seconds',
  help: 'Time of the newest sample of a pool, by category, in seconds since the epoch, by the clock of the storage system. Values stay until the system computes them anew. Source: t (seconds).',
} as const

/** Every family of the resources, in the order in which they are exposed. */
export const RESOURCE_FAMILIES = Object.values(OBJECT_KINDS)
  .flatMap(familiesOf)
  .map((family) => ({ ...family, unit: unitOf(family.name) }))

function familiesOf(kind: ObjectKind) {
  const { resource, labels, count, name } = kind
  const common = { resource, isUnproven: kind.isUnproven === true }
  const ofObject = ['system', ...Object.keys(labels)]
  const families = Object.entries(kind.families).map(([family, row]) => ({
    ...common,
    name: family,
    help: `${row.help} Source: ${sourceText(kind, row)}.`,
    labels: [
      ...ofObject,
      ...(typeof row.members === 'object' ? Object.keys(row.members) : []),
      ...(row.text === undefined ? [] : [row.text.label]),
    ],
    isUnproven: common.isUnproven || row.isUnproven === true,
  }))
  const source = `Source: ${requestText(kind)} (count)`
  return [
    ...families,
    ...(count === undefined
      ? []
      : [{ ...common, name: count.family, help: `${count.help} ${source}.`, labels: ['system'] }]),
    ...(name === 'pool' ? [{ ...common, ...POOL_SAMPLE_TIME, labels: [...ofObject, 'category'] }] : []),
  ]
}

function sourceText(kind: ObjectKind, { members, text, unit }: FamilyRow): string {
  const named = labelledMembers(members).flatMap(([, names]) => (names === '' ? [] : [names]))
  const names = [...named, ...(text === undefined ? [] : [text.member])]
  const ofMembers = names.length === 0 ? '' : `${names.join(', ').replaceAll('|', ' or ')} of `
  return `${ofMembers}${requestText(kind)} (${unit})`
}

/** The request of an object, for people: `GET /vdc/nodes`, `GET /?ping`. The query is omitted where the path says enough. */
export function requestText(row: Pick<ObjectRow, 'method' | 'path' | 'query' | 'measurement'>): string {
  const { method = 'GET', path, query, measurement } = row
  const ofMeasurement = measurement === undefined ? '' : ` (${MEASUREMENTS[measurement].name})`
  return `${method} ${path}${path === '/' ? `?${query}` : ''}${ofMeasurement}`
}

type ObjectRows = (typeof OBJECTS)[ObjectName]
type NamesOf<T> = T extends unknown ? keyof T & string : never
type CountOf<T> = T extends { readonly count: { readonly family: infer Name } } ? Name : never
/** Name of a metric family of a resource. */
export type ResourceFamilyName =
  | NamesOf<ObjectRows['families']>
  | CountOf<ObjectRows>
  | (typeof POOL_SAMPLE_TIME)['name']
