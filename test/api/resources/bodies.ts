/** Answers of a small system, typed by hand from published answers and documents, by path. */

const T = 1_785_312_642
const OLD = T - 55 * 86_400

type Form = 'classic' | 'documented'

/** A path with its query, without `limit` and `marker`, and the body of a POST request. */
export type Bodies = Readonly<Record<string, unknown>>

/** Real systems have strings and lists of one snapshot; documents have numbers and single snapshots. */
const notation = (form: Form) => {
  const count = (value: number) => (form === 'classic' ? String(value) : value)
  const flag = (value: boolean) => (form === 'classic' ? String(value) : value)
  const measure = (tag: string, value: number, t = T) => {
    const snapshot = { t: count(t), [tag]: count(value) }
    return form === 'classic' ? [snapshot] : snapshot
  }
  const instances = (list: readonly unknown[], title: string) =>
    form === 'classic'
      ? { _embedded: { _instances: list }, _links: { self: { href: '/' } }, title }
      : { _embedded: { instances: list.length === 1 ? list[0] : list } }
  /** Documents show the root of the XML form. */
  const root = (name: string, body: object) => (form === 'classic' ? body : { [name]: body })
  return { count, flag, measure, instances, root }
}

const SECRET = 'marked-secret'

export function bodiesOf(form: Form): Bodies {
  return { ...dashboards(form), ...objects(form), ...inventory(form), ...QUERIED }
}

const ROW_TIMES = ['2026-07-29T08:00:00Z', '2026-07-29T08:11:40Z', '2026-07-29T08:10:57Z']
const queried = (measurement: string, tags: Readonly<Record<string, string>>, fields: object) => ({
  Series: [
    {
      Datatypes: [],
      Columns: [
        'table',
        '_start',
        '_stop',
        '_time',
        '_value',
        '_field',
        '_measurement',
        ...Object.keys(tags),
      ],
      Values: Object.entries(fields).map(([field, value], index) => [
        String(index),
        ...ROW_TIMES,
        String(value),
        field,
        measurement,
        ...Object.values(tags),
      ]),
    },
  ],
})

/** Answers of the Flux API, by the name of the query. */
const QUERIED: Bodies = {
  query_directoryTables: queried(
    'dtquery_dt_status',
    { process: 'dtquery', tag: 'dt' },
    { total: 1936, unready: 2, unknown: 1 },
  ),
  query_replicationLag: queried(
    'cm_Geo_Replication_Statistics_Replication_Group_Min_RPO',
    { Replication_Group: 'urn:storageos:ReplicationGroupInfo:g1:global', process: 'cm' },
    { RPO_Lag_Millis: 90_500 },
  ),
}

function dashboards(form: Form): Bodies {
  const { count, flag, measure, instances } = notation(form)
  const counts = {
    numNodes: count(5),
    numGoodNodes: count(3),
    numBadNodes: count(1),
    numMaintenanceNodes: count(0),
    numDisks: count(60),
    numGoodDisks: count(57),
    numBadDisks: count(1),
    numMaintenanceDisks: count(0),
    numReadyToReplaceDisks: count(2),
  }
  const alerts = {
    alertsNumUnackCritical: measure('Count', 1),
    alertsNumUnackError: measure('Count', 2),
    alertsNumUnackWarning: measure('Count', 3),
    alertsNumUnackInfo: measure('Count', 40),
  }
  const pool = {
    id: 'urn:storageos:VirtualArray:p1',
    name: 'sp1',
    ...counts,
    diskSpaceTotalCurrent: measure('Space', 1000),
    diskSpaceAllocatedCurrent: measure('Space', 600),
    diskSpaceFreeCurrent: measure('Space', 300),
    diskSpaceReservedCurrent: measure('Space', 100),
    diskSpaceOfflineTotalCurrent: measure('Space', 0),
    diskSpaceAllocatedUserDataCurrent: measure('Capacity', 200),
    diskSpaceAllocatedSystemMetadataCurrent: measure('Capacity', 50),
    diskSpaceAllocatedLocalProtectionCurrent: measure('Capacity', 240),
    diskSpaceAllocatedGeoCopyCurrent: measure('Capacity', 20),
    diskSpaceAllocatedGeoCacheCurrent: measure('Capacity', 10),
    gcUserPendingCurrent: measure('Capacity', 11),
    gcSystemPendingCurrent: measure('Capacity', 12),
    gcUserUnreclaimableCurrent: measure('Capacity', 13),
    gcSystemUnreclaimableCurrent: measure('Capacity', 14),
    gcUserReclaimedCurrent: measure('Capacity', 15),
    gcSystemReclaimedCurrent: measure('Capacity', 16),
    gcUserTotalDetectedCurrent: measure('Capacity', 39),
    gcSystemTotalDetectedCurrent: measure('Capacity', 42),
    gcUserDataIsEnabled: flag(true),
    gcSystemMetadataIsEnabled: flag(false),
    recoveryBadChunksTotalSizeCurrent: measure('Space', 7, OLD),
    // Without suffix: a zero that is stamped now.
    recoveryRate: measure('Rate', 0),
    chunksEcApplicableTotalSealSizeCurrent: measure('Space', 500, T - 2640),
    chunksEcCodedTotalSealSizeCurrent: measure('Space', 499, T - 2640),
  }
  const group = {
    id: 'Replication_Group:urn:storageos:ReplicationGroupInfo:g1:global',
    name: 'rg1',
    numZones: count(2),
    chunksRepoPendingReplicationTotalSize: count(100),
    chunksJournalPendingReplicationTotalSize: count(10),
    chunksPendingXorTotalSize: count(0),
    replicationRpoTimestamp: count(T - 600),
    replicationIngressTrafficCurrent: [],
  }
  const quiet = { ...group, id: 'g2', name: 'rg2', chunksRepoPendingReplicationTotalSize: count(0) }
  const internal = {
    ...group,
    id: 'Replication_Group:urn:storageos:x:00000000-0000-0000-0000-000000000000:global',
  }
  const link = { id: 'l1', rgName: 'rg1', zone1Name: 'fra', zone2Name: 'muc' }
  const zone = '/dashboard/zones/localzone'
  return {
    [`${zone}?dataType=current`]: { id: 'localzone', name: 'fra', ...counts, ...alerts },
    [`${zone}/storagepools?dataType=current`]: instances([pool], 'storagepoolList'),
    [`${zone}/replicationgroups?dataType=current`]: instances(
      [group, { ...quiet, chunksJournalPendingReplicationTotalSize: count(0) }, internal],
      'replicationGroupList',
    ),
    [`${zone}/rglinksFailed?dataType=current`]: instances([link], 'rglinksFailedList'),
    [`${zone}/rglinksBootstrap?dataType=current`]: instances(
      [{ ...link, zone2Name: 'ber', BootstrapProgressPercent: count(37.5) }],
      'rglinksBootstrapList',
    ),
  }
}

function objects(form: Form): Bodies {
  const { count, root } = notation(form)
  const listed = (name: string) => ({
    name,
    id: name,
    link: { href: '/' },
    root_user_password: SECRET,
    default_data_services_vpool: 'urn:x',
  })
  const usage = (namespace: string, size: number, more: object) => ({
    namespace,
    valid_namespace: 'true',
    total_size: size,
    total_size_unit: 'KB',
    total_objects: '3',
    sample_time: '2026-07-29T08:10:42Z',
    total_mpu_size: count(1),
    total_mpu_parts: '1',
    ...more,
  })
  const usages = [
    usage('ns1', 9765.625, { uptodate_till: '2026-07-29T08:05:42Z' }),
    usage('ns "ü"', 10_240, { total_size: '10240' }),
  ]
  const quota = (namespace: string, limits: object) =>
    root('namespace_quota_details', {
      namespace,
      blockSize: count(-1),
      notificationSize: count(-1),
      blockSizeInCount: count(-1),
      notificationSizeInCount: count(-1),
      ...limits,
    })
  const bucket = (name: string, limits: object) => ({
    name,
    namespace: 'ns1',
    owner: 'owner1',
    block_size: count(-1),
    notification_size: count(-1),
    TagSet: [],
    ...limits,
  })
  const bucketUsage = (name: string, size: string) => ({
    namespace: 'ns1',
    name,
    total_size: size,
    total_size_unit: 'KB',
    total_objects: 2,
    sample_time: '2026-07-29T08:10:42Z',
  })
  const namespaces = { namespace: [listed('ns1'), listed('ns "ü"')], MaxNamespaces: count(500), Filter: 'x' }
  const paths = {
    [`/object/namespaces/namespace/ns1/quota`]: quota('ns1', {
      blockSize: count(10),
      notificationSize: count(8),
      blockSizeInCount: count(1000),
    }),
    [`/object/namespaces/namespace/${encodeURIComponent('ns "ü"')}/quota`]: quota('ns "ü"', {}),
    '/object/bucket?namespace=ns1': root('object_buckets', {
      object_bucket: [bucket('b1', { block_size: count(1) }), bucket('b2', {})],
      MaxBuckets: count(500),
    }),
    [`/object/bucket?namespace=${encodeURIComponent('ns "ü"')}`]: { object_bucket: [] },
    '/object/billing/namespace/info?sizeunit=KB {"id":["ns1","ns \\"ü\\""]}': {
      [form === 'classic' ? 'namespace_billing_infos' : 'namespace_billing_info']: usages,
    },
    '/object/billing/buckets/ns1/info?sizeunit=KB {"id":["b1","b2"]}': {
      [form === 'classic' ? 'bucket_billing_infos' : 'bucket_billing_info']: [
        bucketUsage('b1', '512.5'),
        bucketUsage('b2', '0'),
      ],
    },
  }
  return { '/object/namespaces': root('namespaces', namespaces), ...paths }
}

const LOAD = (Value: unknown) => ({ Name: 'LOAD_FACTOR', Value })

function inventory(form: Form): Bodies {
  const { flag, root } = notation(form)
  const feature = (expired: boolean, date: string | undefined) => ({
    serial: 'ML1',
    expired_ind: flag(expired),
    ...(date !== undefined && { expiration_date: date }),
    issued_date: '01/10/2014',
  })
  return {
    '/vdc/nodes': root('nodes', {
      node: [
        { nodename: 'n1', nodeid: 'i1', version: '3.8.1.4', ip: '10.0.0.1', data_ip: '10.1.0.1' },
        { nodename: 'n2', nodeid: 'i2', version: '4.0.0.0', isLocal: true, data_ip: '10.1.0.2' },
        { nodename: 'n2', nodeid: 'i3', version: '4.0.0.0', data_ip: 'fd00::3' },
      ],
    }),
    '/10.1.0.1?ping': {
      PingList: { PingItem: [LOAD(12), { Name: 'MAINTENANCE_MODE', Status: 'OFF', Text: 'x' }] },
    },
    '/10.1.0.2?ping': { PingList: { PingItem: [{ Name: 'MAINTENANCE_MODE', Status: 'ON' }, LOAD('0')] } },
    '/fd00::3?ping': { PingList: { PingItem: LOAD('7') } },
    '/vdc/admin/authnproviders': root('authnproviders', {
      authnprovider: [
        { name: 'keystone "lab"', id: 'urn:storageos:AuthnProvider:a:', link: { rel: 'self', href: '/a' } },
        { name: 'ad', id: 'urn:AuthProvider:b', link: null },
      ],
    }),
    '/license': root('license', {
      license_feature: [
        feature(false, '12/31/2027'),
        feature(true, '01/10/2026'),
        feature(false, 'PERMANENT'),
      ],
      license_text: SECRET,
    }),
  }
}
