import { type AlertCase, cases, fires, of } from '../case.ts'
import { NODE, POOL } from '../subjects.ts'

export const READ = 'sds_node_transaction_read_latency_seconds'
export const WRITE = 'sds_node_transaction_write_latency_seconds'
export const READS = 'sds_node_transaction_reads_per_second'
export const WRITES = 'sds_node_transaction_writes_per_second'

type Series = AlertCase['series']

const slowRead = fires(POOL, '250ms')
const slowWrite = fires(POOL, '500ms')

/** A node with data and a histogram of `fast` and `slow` requests per minute for 39 minutes, then of fast ones only. */
const histogram = (operation: string, [fast, slow]: readonly [number, number], labels = ''): Series => {
  const bucket = (le: string) =>
    `sds_node_transaction_latency_seconds_bucket{operation="${operation}",le="${le}"${labels}}`
  const all = fast + slow
  const until = 39
  return {
    [`sds_node_info{${labels.slice(1)}}`]: '1x100',
    [bucket('0.1')]: `0+${fast}x${until} ${fast * until + all}+${all}x60`,
    [bucket('0.9')]: `0+${all}x${until} ${all * until + all}+${all}x60`,
    [bucket('+Inf')]: `0+${all}x${until} ${all * until + all}+${all}x60`,
  }
}

/** Three of four requests take up to 0.5 s: half of the requests in the bucket from 0.1 to 0.9. */
const HALF_SLOW = [100, 100] as const

const outlier = fires(NODE, '200ms')

export const latencyCases: readonly AlertCase[] = [
  /** Systems without mean latencies. */
  ...cases('SdsReadLatencyHigh', 'warning', {
    'fires for the quantile where there is no mean, and ends after the recovery': {
      series: { ...histogram('read', HALF_SLOW), ...histogram('write', [200, 0]), [READS]: '3x100' },
      at: { '15m': [], '16m': [slowWrite], '39m': [slowWrite], '70m': [] },
    },
    'prefers the mean, and is silent for idle pools and for some slow requests': {
      series: {
        ...histogram('read', HALF_SLOW),
        [READ]: '0.05x60',
        [READS]: '3x60',
        ...histogram('read', [0, 0], ',pool="idle"'),
        [`${READS}{pool="idle"}`]: '3x60',
        ...histogram('read', [180, 40], ',pool="sometimes"'),
        [`${READS}{pool="sometimes"}`]: '3x60',
      },
      at: { '30m': [], '39m': [] },
    },
  }),
  ...cases('SdsReadLatencyHigh', 'warning', {
    'fires after 15 minutes and ends 10 minutes after the recovery': {
      series: {
        [READ]: '0.25x19 0.05x40',
        [READS]: '100x60',
        ...of('node="idle"', { [READ]: '9x60', [READS]: '0x60' }),
      },
      at: { '14m': [], '15m': [slowRead], '29m': [slowRead], '30m': [] },
    },
    'weights nodes by their transactions': {
      series: {
        [READ]: '1x30',
        [READS]: '10x30',
        ...of('node="n2"', { [READ]: '0.05x30', [READS]: '90x30' }),
      },
      at: { '30m': [] },
    },
    'is silent for a pool with few transactions, without transactions, or without a rate': {
      series: {
        ...of('pool="quiet"', { [READ]: '2x30', [READS]: '0.9x30' }),
        ...of('pool="idle"', { [READ]: '2x30', [READS]: '0x30' }),
        [`${READ}{pool="modern"}`]: '2x30',
      },
      at: { '30m': [] },
    },
  }),
  ...cases('SdsWriteLatencyHigh', 'warning', {
    'fires after 15 minutes and ends 10 minutes after the recovery': {
      series: { [WRITE]: '0.5x19 0.05x40', [WRITES]: '100x60' },
      at: { '14m': [], '15m': [slowWrite], '29m': [slowWrite], '30m': [] },
    },
    'fires for the quantile where there is no mean': {
      series: { ...histogram('write', HALF_SLOW), ...histogram('read', [200, 0]), [WRITES]: '3x100' },
      at: { '15m': [], '16m': [slowWrite], '70m': [] },
    },
    'is silent below its threshold, and for a pool with few writes': {
      series: {
        [WRITE]: '0.3x30',
        [WRITES]: '100x30',
        [READ]: '0.9x30',
        [READS]: '100x30',
        ...of('pool="quiet"', { [WRITE]: '2x30', [WRITES]: '0.9x30' }),
      },
      at: { '30m': [] },
    },
  }),
  ...cases('SdsNodeLatencyOutlier', 'warning', {
    'fires for the quantile where there is no mean': {
      series: {
        ...histogram('read', HALF_SLOW),
        [READS]: '3x100',
        ...histogram('read', [200, 0], ',node="n2"'),
        ...histogram('read', [200, 0], ',node="n3"'),
      },
      at: { '30m': [], '31m': [fires(NODE, '500ms')], '90m': [] },
    },
    'fires after 30 minutes and ends 15 minutes after the recovery': {
      series: {
        [READ]: '0.2x39 0.02x40',
        [READS]: '1.1x80',
        [`${READ}{node="n2"}`]: '0.05x80',
        [`${READ}{node="n3"}`]: '0.01x80',
      },
      at: { '29m': [], '30m': [outlier], '54m': [outlier], '55m': [] },
    },
    'is silent when all are slow, when all are fast, and in a pool of one node': {
      series: {
        [READS]: '100x40',
        [`${READS}{pool="fast",node="n1"}`]: '100x40',
        [`${READS}{pool="single",node="n1"}`]: '100x40',
        [READ]: '0.5x40',
        [`${READ}{node="n2"}`]: '0.25x40',
        [`${READ}{node="n3"}`]: '0.2x40',
        [`${READ}{pool="fast",node="n1"}`]: '0.04x40',
        [`${READ}{pool="fast",node="n2"}`]: '0.002x40',
        [`${READ}{pool="fast",node="n3"}`]: '0.002x40',
        [`${READ}{pool="single",node="n1"}`]: '0.9x40',
      },
      at: { '40m': [] },
    },
    'is silent for a node with few reads, without reads, or without a rate': {
      series: {
        [READ]: '0.9x40',
        [READS]: '0.9x40',
        ...of('node="n2"', { [READ]: '0.8x40', [READS]: '0x40' }),
        [`${READ}{node="n3"}`]: '0.7x40',
        ...Object.fromEntries(
          ['n4', 'n5', 'n6', 'n7'].flatMap((node) => [
            [`${READ}{node="${node}"}`, '0.01x40'],
            [`${READS}{node="${node}"}`, '100x40'],
          ]),
        ),
      },
      at: { '40m': [] },
    },
  }),
]
