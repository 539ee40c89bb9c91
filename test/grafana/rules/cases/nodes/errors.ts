import { type AlertCase, cases, fires, of } from '../case.ts'
import { POOL } from '../subjects.ts'
import { READS, WRITES } from './latency.ts'

const FAILED = 'sds_node_transactions_failed'
const SUCCEEDED = 'sds_node_transactions_succeeded'
const BY_TYPE = 'sds_node_transaction_errors_by_type'

export const errorCases: readonly AlertCase[] = [
  ...cases('SdsTransactionErrors', 'warning', {
    'fires after 15 minutes and ends 10 minutes after the recovery': {
      series: { [FAILED]: '20x19 0x40', [SUCCEEDED]: '980x60', [READS]: '50x60', [WRITES]: '50x60' },
      at: { '14m': [], '15m': [fires(POOL, '2%')], '29m': [fires(POOL, '2%')], '30m': [] },
    },
    'is silent below 1 %, for a pool with few transactions and without transactions': {
      series: {
        [FAILED]: '9x30',
        [SUCCEEDED]: '991x30',
        [READS]: '50x30',
        [WRITES]: '50x30',
        ...of('pool="quiet"', { [FAILED]: '1x30', [SUCCEEDED]: '1x30', [READS]: '0.45x30' }),
        [`${WRITES}{pool="quiet"}`]: '0.45x30',
        ...of('pool="idle"', { [FAILED]: '0x30', [SUCCEEDED]: '0x30' }),
      },
      at: { '5m': [], '30m': [] },
    },
  }),
  ...cases('SdsTransactionErrorsCritical', 'critical', {
    'fires after 5 minutes': {
      series: { [FAILED]: '100x9 0x40', [SUCCEEDED]: '900x60', [READS]: '50x60', [WRITES]: '50x60' },
      at: { '4m': [], '5m': [fires(POOL, '10%')], '19m': [fires(POOL, '10%')], '20m': [] },
    },
    'is silent at 4 %, and does not count failures of a node whose successes are not known': {
      series: {
        [FAILED]: '40x30',
        [SUCCEEDED]: '960x30',
        [READS]: '0.6x30',
        [WRITES]: '0.6x30',
        [`${FAILED}{node="n2"}`]: '500x30',
      },
      at: { '5m': [], '15m': [] },
    },
  }),
  ...cases('SdsSystemErrors', 'warning', {
    'fires after 15 minutes, without the errors of category User': {
      series: {
        [FAILED]: '51.5x19 50x40',
        [SUCCEEDED]: '948.5x60',
        [`${BY_TYPE}{category="User",error_type="404 (S3)"}`]: '50x60',
        [`${BY_TYPE}{category="System",error_type="500 (S3)"}`]: '1.5x19',
      },
      at: { '14m': [], '15m': [fires(POOL, '0.15%')], '29m': [fires(POOL, '0.15%')], '30m': [] },
    },
    'is silent when nearly all errors are of category User, for a pool with few transactions and without transactions':
      {
        series: {
          ...of('pool="quiet"', { [FAILED]: '1x30', [SUCCEEDED]: '1x30', [READS]: '0.45x30' }),
          [`${WRITES}{pool="quiet"}`]: '0.45x30',
          [FAILED]: '300.6x30',
          [SUCCEEDED]: '699.4x30',
          [`${BY_TYPE}{category="User",error_type="404 (S3)"}`]: '200x30',
          [`${BY_TYPE}{category="User",error_type="403 (S3)"}`]: '100x30',
          ...of('pool="idle"', { [FAILED]: '0x30', [SUCCEEDED]: '0x30' }),
        },
        at: { '5m': [], '30m': [] },
      },
  }),
  ...cases('SdsSystemErrorsCritical', 'critical', {
    'fires after 5 minutes where no types are served': {
      series: { [FAILED]: '20x9 0x40', [SUCCEEDED]: '980x60' },
      at: { '4m': [], '5m': [fires(POOL, '2%')], '19m': [fires(POOL, '2%')], '20m': [] },
    },
    'is silent at 0.8 %, and does not count failures of a node whose successes are not known': {
      series: {
        [FAILED]: '8x30',
        [SUCCEEDED]: '992x30',
        [READS]: '0.6x30',
        [WRITES]: '0.6x30',
        [`${FAILED}{node="n2"}`]: '500x30',
      },
      at: { '5m': [], '15m': [] },
    },
    'fires in spite of errors of category User on a node whose successes are not known': {
      series: {
        [FAILED]: '20x30',
        [SUCCEEDED]: '980x30',
        [`${FAILED}{node="n2"}`]: '500x30',
        [`${BY_TYPE}{node="n2",category="User",error_type="404 (S3)"}`]: '500x30',
      },
      at: { '4m': [], '5m': [fires(POOL, '2%')] },
    },
  }),
]
