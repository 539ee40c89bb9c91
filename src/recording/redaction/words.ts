/** Texts that are kept where a member holds one of a list, because they are of the product and not of a system. */
import { CATEGORIES, FORECAST, HEALTH_STATES, TRANSACTION_ERRORS } from '../../catalogue.ts'
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
} from '../../query_catalogue.ts'
import { OBJECT_KINDS } from '../../system_catalogue.ts'

const split = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Services of the product: tag `process`, and the beginning of the names of their measurements. */
const SERVICES =
  split(`statDataHead blob blobsvc cm coordinatorsvc dataheadsvc dtquery dtsm ecsportalsvc eventsvc
  georeceiver metering objcontrolsvc resourcesvc transformsvc vnest sr ssm mm rm georcv`)

/** Columns of the answers to queries. */
export const COLUMNS =
  split(`table _start _stop _time _value _field _measurement cpu host id node_id process tag
  interface code head method namespace Replication_Group`)

export const WORDS: ReadonlySet<string> = new Set([
  ...[...HEALTH_STATES, ...CATEGORIES, ...TRANSACTION_ERRORS.categories, FORECAST.unit],
  ...[...Object.values(LATENCY_IDS), ...SERVICES, ...COLUMNS],
  ...split(`Error Warning Info Critical CRITICAL ERROR WARNING INFO Online Offline None Failed Connected Disconnected
    Bootstrapping ReplicateBTree ReplicateRepo ReplicateJournal Suspect ReadyToReplace localzone self next KB MB GB TB
    PB KiB MiB GiB BYTE ECS ObjectScale ViPR_Unstructured S3 ATMOS SWIFT CAS HDFS NFS RPO cpu-total dashboard system
    dt long double string boolean unsignedLong dateTime:RFC3339 GET PUT POST HEAD DELETE read write get put head
    delete list current historical true false Enabled Suspended Disabled DISK LICENSE SYSTEM_ADMIN SYSTEM_MONITOR
    SECURITY_ADMIN NAMESPACE_ADMIN TENANT_ADMIN LOAD_FACTOR MAINTENANCE_MODE ON OFF UNKNOWN load-factor`),
  ...['Temp Unavailable', 'Good(PD UP)', 'Storage Pool Node List', 'Storage Pool List'],
  ...split(`storagepoolList storagePoolList nodeList localzone replicationgroupList rglinkList rglinksFailedList
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
  ...split(`usage_idle usage_iowait usage_irq usage_softirq usage_steal usage_guest usage_guest_nice total free
    buffered cached available available_percent packets_recv packets_sent err_in err_out drop_in drop_out bytes_sum
    packets_sum RPO_Lag_Millis unready unknown RIS_failure dump_failure`),
])

export const MEASUREMENT_NAMES: ReadonlySet<string> = new Set([
  ...Object.values(MEASUREMENTS).map(({ name }) => name),
  ...split('disk diskio swap procstat dtquery_dt_status'),
])
export const SERVICE_NAMES: ReadonlySet<string> = new Set(SERVICES)

/** Words by which the exporter knows refusals, and descriptions of errors. The text around them is replaced. */
export const PHRASES =
  /too large|lacks the columns|failed to compile( query)?|is not allowed|merges tables( with different schemas)?|could not find bucket|cannot query an empty range|Insufficient permissions|Unable to find entity in request URL|Unable to connect to the service|The service is currently unavailable|Parameter was provided but invalid|Request parameter cannot be found|This operation is forbidden/i

/** Segments of the paths of requests and links. */
export const PATH_WORDS: ReadonlySet<string> = new Set([
  ...[QUERY_PATH, ...Object.values(OBJECT_KINDS).map(({ path }) => path)].flatMap((path) => path.split('/')),
  ...split('disks processes rglinks datatables vdcs list data-services varrays varrays.json'),
])

/** Parts of URNs. */
export const URN_WORDS: ReadonlySet<string> = new Set(
  split(`urn storageos ViPR AuthnProvider AuthProvider VirtualArray VirtualDataCenterData ReplicationGroupInfo
    Replication_Group Alert VirtualPool global`),
)

/** Names of network interfaces that say nothing of a system. */
export const INTERFACE_WORDS =
  /^(public|private|data|repl|mgmt|lo|docker\d{0,3}|p?slave-?\d{1,3}|(bond|team)\d{1,3}|eth\d{1,3}|em\d{1,3}|p\d{1,3}p\d{1,3}|en[ops]\d{1,3}(s\d{1,3})?(f\d{1,3})?(np\d{1,3})?|\d{1,4})$/
/** Beginnings that decide how the traffic of an interface is counted. */
export const INTERFACE_PREFIX = /^(lo$|docker|veth|en[opsx]|p?slave)/
