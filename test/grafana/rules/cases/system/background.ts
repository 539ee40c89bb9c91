import { type AlertCase, cases, fires, of } from '../case.ts'
import { POOL } from '../subjects.ts'

const ENABLED = 'sds_pool_garbage_collection_enabled'
const off = fires({ ...POOL, scope: 'user' }, 'user data')
const notReclaimed = fires({ ...POOL, scope: 'system' }, 'system metadata', '1 day', '186.3Gi')
const unreclaimable = fires(POOL, '11%')
const pending = (scope: string): string => `sds_pool_garbage_pending_bytes{scope="${scope}"}`
const reclaimed = (scope: string): string => `sds_pool_garbage_reclaimed_bytes{scope="${scope}"}`
const notReclaimable = (scope: string): string => `sds_pool_garbage_unreclaimable_bytes{scope="${scope}"}`

const BAD_CHUNKS = 'sds_pool_recovery_bad_chunks_bytes'
const SAMPLE = 'sds_pool_sample_timestamp_seconds{category="recovery"}'
const recovery = fires(POOL, '1Gi')
const coding = fires(POOL, '94%')
const APPLICABLE = 'sds_pool_erasure_coding_applicable_bytes'
const CODED = 'sds_pool_erasure_coding_coded_bytes'

/** Cases of the alerts about garbage collection, recovery and erasure coding. */
export const backgroundCases: readonly AlertCase[] = [
  ...cases('SdsGarbageCollectionOff', 'warning', {
    'fires after an hour in spite of a failed reading and ends 15 minutes after it is on': {
      series: {
        [`${ENABLED}{scope="user"}`]: '1x4 0x20 _x3 0x60 1x60',
        [`${ENABLED}{scope="system"}`]: '1x150',
      },
      at: { '64m': [], '65m': [off], '102m': [off], '106m': [] },
    },
    'is silent while it is on, and for a system that does not serve it': {
      series: { [`${ENABLED}{scope="user"}`]: '1x90', 'sds_pool_disks{pool="pool 2"}': '4x90' },
      at: { '90m': [] },
    },
  }),
  ...cases('SdsGarbageNotReclaimed', 'warning', {
    'fires after a day without any, for the scope, and ends 15 minutes after the next': {
      step: 5,
      series: {
        [pending('system')]: '200000000000x400',
        [reclaimed('system')]: '7000000000x299 8000000000x100',
        [pending('user')]: '900000000000x400',
        [reclaimed('user')]: '0+134217728x400',
      },
      at: { '1435m': [], '1450m': [notReclaimed], '1510m': [notReclaimed], '1520m': [] },
    },
    'is silent with little pending at some time, with a few reclaimed chunks, and for a new system': {
      step: 5,
      series: {
        [pending('system')]: '200000000000x99 90000000000x1 200000000000x300',
        [reclaimed('system')]: '7000000000x400',
        [pending('user')]: '900000000000x400',
        [reclaimed('user')]: '0x150 134217728x150 268435456x100',
        'sds_pool_garbage_pending_bytes{pool="pool 2",scope="user"}': '_x300 900000000000x100',
        'sds_pool_garbage_reclaimed_bytes{pool="pool 2",scope="user"}': '_x300 0x100',
      },
      at: { '1450m': [], '1700m': [], '1900m': [] },
    },
    'is silent for the former name of a renamed pool': {
      step: 5,
      series: {
        [pending('system')]: '200000000000x280 _x120',
        [reclaimed('system')]: '7000000000x280 _x120',
        'sds_pool_garbage_pending_bytes{pool="pool 2",scope="system"}': '_x281 200000000000x119',
        'sds_pool_garbage_reclaimed_bytes{pool="pool 2",scope="system"}': '_x281 7000000000x119',
      },
      at: { '1445m': [], '1460m': [], '1600m': [] },
    },
  }),
  ...cases('SdsGarbageUnreclaimable', 'info', {
    'fires after 6 hours for both scopes together and ends an hour later': {
      step: 5,
      series: {
        [notReclaimable('user')]: '90x99 80x100',
        [notReclaimable('system')]: '20x199',
        sds_pool_disk_space_allocated_bytes: '1000x199',
      },
      at: { '355m': [], '360m': [unreclaimable], '550m': [unreclaimable], '570m': [] },
    },
    'is silent below the limit, and for an empty pool': {
      step: 5,
      series: {
        [notReclaimable('user')]: '99x199',
        sds_pool_disk_space_allocated_bytes: '1000x199',
        'sds_pool_garbage_unreclaimable_bytes{pool="pool 2",scope="user"}': '9x199',
        'sds_pool_disk_space_allocated_bytes{pool="pool 2"}': '0x199',
      },
      at: { '900m': [] },
    },
  }),
  ...cases('SdsRecoveryPending', 'warning', {
    'fires after 6 hours in spite of a failed reading and ends 30 minutes later': {
      step: 5,
      series: { [BAD_CHUNKS]: '1073741824x50 _x1 1073741824x48 0x50', [SAMPLE]: '0+300x150' },
      at: { '355m': [], '360m': [recovery], '525m': [recovery], '540m': [] },
    },
    'is silent for a sample of weeks ago, for a recovery of five hours, and without bad chunks': {
      step: 5,
      series: {
        [BAD_CHUNKS]: '1073741824x199',
        [SAMPLE]: '-4752000x199',
        [`${BAD_CHUNKS}{pool="pool 2",pool_id="p2"}`]: '1073741824x60 0x139',
        'sds_pool_sample_timestamp_seconds{pool="pool 2",pool_id="p2",category="recovery"}': '0+300x199',
        [`${BAD_CHUNKS}{pool="pool 3",pool_id="p3"}`]: '0x199',
        'sds_pool_sample_timestamp_seconds{pool="pool 3",pool_id="p3",category="recovery"}': '0+300x199',
      },
      at: { '360m': [], '900m': [] },
    },
  }),
  ...cases('SdsErasureCodingBehind', 'info', {
    'fires after a day and ends an hour later': {
      step: 5,
      series: { [APPLICABLE]: '1000x500', [CODED]: '940x299 960x200' },
      at: { '1435m': [], '1440m': [coding], '1550m': [coding], '1570m': [] },
    },
    'is silent after an import of half a day, and where nothing is to be coded': {
      step: 5,
      series: {
        [APPLICABLE]: '1000x500',
        [CODED]: '960x99 600x144 960x250',
        ...of('pool="pool 2",pool_id="p2"', { [APPLICABLE]: '0x500', [CODED]: '0x500' }),
      },
      at: { '1200m': [], '2400m': [] },
    },
  }),
]
