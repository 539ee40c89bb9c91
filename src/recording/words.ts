/**
 * What the exporter knows of the texts of responses, as tables: a member that is in none of them is from outside, and its
 * name and texts are replaced. Names of the catalogues are added by code; the others are those of the REST references of
 * ECS and ObjectScale, and of published answers of real systems.
 */
import {
  ATTRIBUTES,
  CATEGORIES,
  DISK_COUNTS,
  FORECAST,
  HEALTH_STATES,
  TRANSACTION_ERRORS,
} from '../catalogue.ts'
import {
  DISK_FIELDS,
  ERROR_CODE_FIELD,
  ERROR_FIELDS,
  LATENCY_IDS,
  MEASUREMENTS,
  NETWORK_FIELDS,
  QUERY_ATTRIBUTES,
  QUERY_PATH,
  TRANSACTION_FIELDS,
} from '../query_catalogue.ts'
import { OBJECT_KINDS, RESOURCE_NAMES, RESOURCES } from '../system_catalogue.ts'
import { TIME_MEMBERS } from './times.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Kept with --keep-names. */
export const NAME_KINDS = [
  'pool',
  'node',
  'vdc',
  'replication-group',
  'namespace',
  'bucket',
  'provider',
  'name',
  'rack',
  'interface',
] as const
type NameKind = (typeof NAME_KINDS)[number]

/**
 * What a text holds. A `secret` is dropped. Texts of some kinds are kept if they have a known form or are in a list; the
 * other kinds are prefixes of stand-ins.
 */
export type TextKind = 'measure' | keyof typeof TEXT_MEMBERS | NameKind | 'member'

const TEXT_MEMBERS = {
  time: [...TIME_MEMBERS],
  version: words('version'),
  word: words(`Name Status healthStatus unit category errorType rel title severity type status rglinkStatus FailoverState
    BootstrapState api_type connection_status total_size_unit storage_capacity_unit product model table Datatypes
    Columns cpu process tag head method code security_status ssmL1Status ssmL2Status versioning_status`),
  href: words('href NextPageLink'),
  message: words('error description details message connection_status_message Filter'),
  secret: words(`secretKeys root_user_password password passwd secret secret_key token license_text chain
    certificate private_key key keys`),
  'by-request': words('name id displayName Value'),
  pool: words('storagePoolName'),
  node: words('nodename host label nodeDisplayName'),
  vdc: words('zone1Name zone2Name vdcName'),
  'replication-group': words('rgName'),
  namespace: words('namespace'),
  bucket: words('bucket bucketName'),
  rack: words('rackId'),
  interface: words('interface'),
  measurement: words('_measurement'),
  field: words('_field'),
  id: words(
    'Replication_Group storagePoolId nodeid nodeId node_id vdcId vpool_id vpool rgId esrs_id slotId dt_node_id',
  ),
  address: words('ip mgmt_ip data_ip data2_ip geo_ip private_ip'),
  host: words('fqdn'),
  serial: words('serial psnt serviceTag'),
  user: words('owner root_user_name user userId common_name distinguished_name namespace_admins'),
  marker: words('NextMarker next_marker marker'),
  text: words('TagSet Key Text tags tag_set default_retention_classes'),
} as const satisfies Record<string, readonly string[]>

/** Members with numbers, flags, and objects or lists. */
const MEASURES =
  words(`PingList _links _embedded _instances instances self nodes disks processes datatables rglinks pools
  storagepools replicationgroups rglinksFailed rglinksBootstrap link apiChange Series Values _value Min Max Avg
  Capacity Count Space Percent Bytes Bandwidth Latency TPS diskIO Rate forecast history target all
  errorSuccessTotals successTotal errorTotal types errorCount errorRate
  numNodes numSuspectNodes numNodesWithSufficientDiskSpace numZones retryable
  chunksEcRate chunksEcRateCurrent chunksEcCompleteTimeEstimate chunksEcCodedRatio chunksEcCodedRatioCurrent
  recoveryRate recoveryRateCurrent recoveryCompleteTimeEstimate chunksGeoCopyAvgSize nodeCpuUtilizationAvg
  replicationIngressTraffic replicationEgressTraffic replicationIngressTrafficCurrent
  replicationEgressTrafficCurrent FailoverProgressPercent
  chunksRepoPendingBootstrapReplicationTotalSize chunksJournalPendingBootstrapReplicationTotalSize
  chunksBTreePendingBootstrapReplicationTotalSize
  MaxNamespaces MaxBuckets MaxAlerts valid_namespace total_objects total_mpu_parts total_objects_deleted
  total_size_deleted bucket_billing_info bucket_billing_infos namespace_billing_info namespace_billing_infos
  namespace_quota_details is_encryption_enabled inactive isLocal local hosted permanentlyFailed locked
  fs_access_enabled default_retention default_bucket_block_size block_size notification_size licensed_ind
  expired_ind trial_license_ind storage_capacity acknowledged symptomCode port varray varrays isProtected
  isColdStorageEnabled object_bucket object_buckets license_feature license namespaces
  buckets numberOfDataBlocks numberOfCodeBlocks warningAlertAt errorAlertAt criticalAlertAt alerts alert`)

const SUFFIXES = ['', 'Current', 'Summary', 'OverTimeRange', 'PerInterval']
const LEVELS = ['', 'L1', 'L2']

/** The names that a member with a series may have: `diskSpaceFree`, `diskSpaceFreeCurrentL1`, … */
function seriesNames(name: string): string[] {
  const base = name.replace(/Current$/, '')
  return LEVELS.flatMap((level) =>
    SUFFIXES.flatMap((suffix) => [`${base}${suffix}${level}`, `${base}${level}${suffix}`]),
  )
}

/** Garbage, chunks and other series that the product serves and the exporter does not read. */
const OTHER_SERIES = [
  ...['User', 'System', 'Combined'].flatMap((scope) =>
    ['Pending', 'Unreclaimable', 'Reclaimed', 'TotalDetected'].map((what) => `gc${scope}${what}`),
  ),
  ...['Repo', 'L0Btree', 'L0Journal', 'L1Btree', 'L1Journal', 'Xor', 'GeoCopy', 'GeoCache'].flatMap((what) =>
    ['Number', 'TotalSize', 'AvgSize', 'TotalSealSize'].map((measure) => `chunks${what}${measure}`),
  ),
  ...words('capacityRebalance capacityRebalanced capacityPendingRebalancing capacityRebalanceRate'),
]

function catalogueMembers(): string[] {
  const ofObjects = Object.values(OBJECT_KINDS).flatMap(({ columns, list = [], labels }) => [
    ...columns.flatMap(({ members }) => members.flatMap(seriesNames)),
    ...list,
    ...Object.values(labels).flatMap((names) => names.split('|')),
  ])
  const attributes = [...ATTRIBUTES.map(({ name }) => name), TRANSACTION_ERRORS.name, ...OTHER_SERIES]
  return [
    ...ofObjects,
    ...attributes.flatMap(seriesNames),
    ...Object.keys(DISK_COUNTS),
    'numDisks',
    FORECAST.name,
  ]
}

/** What the member of a name holds; undefined: the name is from outside. */
export const KINDS: ReadonlyMap<string, TextKind> = new Map<string, TextKind>([
  ...[...catalogueMembers(), ...MEASURES].map((name): [string, TextKind] => [name, 'measure']),
  ...Object.entries(TEXT_MEMBERS).flatMap(([kind, names]) =>
    names.map((name): [string, TextKind] => [name, kind as TextKind]),
  ),
])

/** What `name`, `id` and `displayName` are in the answers to an operation. */
const OF_OPERATION: ReadonlyMap<string, NameKind> = new Map([
  ...['nodes', 'forecast', 'history', 'version'].map((operation) => [operation, 'node'] as const),
  ...RESOURCE_NAMES.map((resource) => [resource, RESOURCES[resource].names] as const),
])

/** Their items have a name and a value; tags have, too. */
const OF_DATA_PORTS: readonly string[] = RESOURCE_NAMES.filter((name) => 'dataPort' in RESOURCES[name])

/** @param operation of the request; that of a query has the rows of nodes */
export function kindByRequest(member: string, operation: string): TextKind {
  const name = OF_OPERATION.get(operation) ?? 'name'
  if (operation === 'query') return 'word'
  if (member === 'Value') return OF_DATA_PORTS.includes(operation) ? 'measure' : 'text'
  return member === 'id' && name !== 'namespace' && name !== 'bucket' ? 'id' : name
}

/** Names of members that may hold a secret, in releases that are not known, too. */
export const SECRET_NAME = /passw|secret|token|credential|private.?key|certificate|license.?text/i

/** Services of the product: tag `process`, and the beginning of the names of their measurements. */
const SERVICES =
  words(`statDataHead blob blobsvc cm coordinatorsvc dataheadsvc dtquery dtsm ecsportalsvc eventsvc
  georeceiver metering objcontrolsvc resourcesvc transformsvc vnest sr ssm mm rm georcv`)

/** Columns of the answers to queries. */
export const COLUMNS =
  words(`table _start _stop _time _value _field _measurement cpu host id node_id process tag
  interface code head method namespace Replication_Group`)

/** Texts that are kept where a member holds one of a list: they are of the product and not of a system. */
export const WORDS: ReadonlySet<string> = new Set([
  ...[...HEALTH_STATES, ...CATEGORIES, ...TRANSACTION_ERRORS.categories, FORECAST.unit],
  ...[...Object.values(LATENCY_IDS), ...SERVICES, ...COLUMNS],
  ...words(`Error Warning Info Critical CRITICAL ERROR WARNING INFO Online Offline None Failed Connected Disconnected
    Bootstrapping ReplicateBTree ReplicateRepo ReplicateJournal Suspect ReadyToReplace localzone self next KB MB GB TB
    PB KiB MiB GiB BYTE ECS ObjectScale ViPR_Unstructured S3 ATMOS SWIFT CAS HDFS NFS RPO cpu-total dashboard system
    dt long double string boolean unsignedLong dateTime:RFC3339 GET PUT POST HEAD DELETE read write get put head
    delete list current historical true false Enabled Suspended Disabled DISK LICENSE SYSTEM_ADMIN SYSTEM_MONITOR
    SECURITY_ADMIN NAMESPACE_ADMIN TENANT_ADMIN LOAD_FACTOR MAINTENANCE_MODE ON OFF UNKNOWN load-factor`),
  ...['Temp Unavailable', 'Good(PD UP)', 'Storage Pool Node List', 'Storage Pool List'],
  ...words(`storagepoolList storagePoolList nodeList localzone replicationgroupList rglinkList rglinksFailedList
    rglinksBootstrapList zoneList`),
])

/** Error types of the dashboard API, such as `404 (S3)`. */
export const ERROR_TYPE = /^\d{3} \((S3|ATMOS|SWIFT|CAS|HDFS|NFS)\)$/
/** Tags with a status, and numbers of processors. */
export const SHORT_WORD = /^(\d{1,3}|cpu\d{1,4})$/

export const FIELDS: ReadonlySet<string> = new Set([
  ...[...DISK_FIELDS.read, ...DISK_FIELDS.write, ERROR_CODE_FIELD],
  ...[TRANSACTION_FIELDS, ERROR_FIELDS, NETWORK_FIELDS].flatMap((fields) => Object.values(fields)),
  ...QUERY_ATTRIBUTES.flatMap(({ source }) => ('fields' in source ? source.fields : [])),
  ...words(`usage_idle usage_iowait usage_irq usage_softirq usage_steal usage_guest usage_guest_nice total free
    buffered cached available available_percent packets_recv packets_sent err_in err_out drop_in drop_out bytes_sum
    packets_sum RPO_Lag_Millis unready unknown RIS_failure dump_failure`),
])

export const MEASUREMENT_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(MEASUREMENTS).map(({ name }) => name),
  ...words('disk diskio swap procstat dtquery_dt_status'),
])
export const SERVICE_NAMES: ReadonlySet<string> = new Set(SERVICES)

/** Words by which the exporter knows refusals, and descriptions of errors. The text around them is replaced. */
export const PHRASES =
  /too large|lacks the columns|failed to compile( query)?|is not allowed|merges tables( with different schemas)?|could not find bucket|cannot query an empty range|Insufficient permissions|Unable to find entity in request URL|Unable to connect to the service|The service is currently unavailable|Parameter was provided but invalid|Request parameter cannot be found|This operation is forbidden/i

/** Segments of the paths of requests and links. */
export const PATH_WORDS: ReadonlySet<string> = new Set([
  ...[QUERY_PATH, ...Object.values(OBJECT_KINDS).map(({ path }) => path)].flatMap((path) => path.split('/')),
  ...words('disks processes rglinks datatables vdcs list data-services varrays varrays.json'),
])

export const URN_WORDS: ReadonlySet<string> = new Set(
  words(`urn storageos ViPR AuthnProvider AuthProvider VirtualArray VirtualDataCenterData ReplicationGroupInfo
    Replication_Group Alert VirtualPool global`),
)

/** Names of network interfaces that say nothing of a system. */
export const INTERFACE_WORDS =
  /^(public|private|data|repl|mgmt|lo|docker\d{0,3}|p?slave-?\d{1,3}|(bond|team)\d{1,3}|eth\d{1,3}|em\d{1,3}|p\d{1,3}p\d{1,3}|en[ops]\d{1,3}(s\d{1,3})?(f\d{1,3})?(np\d{1,3})?|\d{1,4})$/
/** Beginnings that decide how the traffic of an interface is counted. */
export const INTERFACE_PREFIX = /^(lo$|docker|veth|en[opsx]|p?slave)/
