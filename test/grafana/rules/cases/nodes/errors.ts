import { type AlertCase, fired } from '../case.ts'
import { POOL } from '../subjects.ts'
import { READS, WRITES } from './latency.ts'

const ERRORS = '/d/sds-errors?var-system=frankfurt&var-pool=pool+1'

const FAILED = 'sds_node_transactions_failed'

const SUCCEEDED = 'sds_node_transactions_succeeded'

const BY_TYPE = 'sds_node_transaction_errors_by_type'

const suffixOf = (severity: 'critical' | 'warning'): string => (severity === 'critical' ? 'Critical' : '')

const anyErrors = (severity: 'critical' | 'warning', ratio: string) =>
  fired(`SdsTransactionErrors${suffixOf(severity)}`, severity, 'service', POOL, {
    summary: 'Many transactions of a storage pool fail.',
    description: `Pool pool 1 of system frankfurt fails ${ratio} of its transactions, by the fault of clients or of the system.`,
    dashboard: ERRORS,
  })

export const transactionErrors: readonly AlertCase[] = [
  {
    alert: 'SdsTransactionErrors',
    name: 'fires after 15 minutes and ends 10 minutes after the recovery',
    series: { [FAILED]: '20x19 0x40', [SUCCEEDED]: '980x60', [READS]: '50x60', [WRITES]: '50x60' },
    at: { '14m': [], '15m': [anyErrors('warning', '2%')], '29m': [anyErrors('warning', '2%')], '30m': [] },
  },
  {
    alert: 'SdsTransactionErrorsCritical',
    name: 'fires after 5 minutes',
    series: { [FAILED]: '100x9 0x40', [SUCCEEDED]: '900x60', [READS]: '50x60', [WRITES]: '50x60' },
    at: { '4m': [], '5m': [anyErrors('critical', '10%')], '19m': [anyErrors('critical', '10%')], '20m': [] },
  },
  {
    alert: 'SdsTransactionErrorsCritical',
    name: 'is silent at 4 %, and does not count failures of a node whose successes are not known',
    series: {
      [FAILED]: '40x30',
      [SUCCEEDED]: '960x30',
      [READS]: '0.6x30',
      [WRITES]: '0.6x30',
      [`${FAILED}{node="n2"}`]: '500x30',
    },
    at: { '5m': [], '15m': [] },
  },
  {
    alert: 'SdsTransactionErrors',
    name: 'is silent below 1 %, for a pool with few transactions and without transactions',
    series: {
      [FAILED]: '9x30',
      [SUCCEEDED]: '991x30',
      [READS]: '50x30',
      [WRITES]: '50x30',
      [`${FAILED}{pool="quiet"}`]: '1x30',
      [`${SUCCEEDED}{pool="quiet"}`]: '1x30',
      [`${READS}{pool="quiet"}`]: '0.45x30',
      [`${WRITES}{pool="quiet"}`]: '0.45x30',
      [`${FAILED}{pool="idle"}`]: '0x30',
      [`${SUCCEEDED}{pool="idle"}`]: '0x30',
    },
    at: { '5m': [], '30m': [] },
  },
]

const ownErrors = (severity: 'critical' | 'warning', ratio: string) =>
  fired(`SdsSystemErrors${suffixOf(severity)}`, severity, 'service', POOL, {
    summary: 'A storage pool fails transactions by its own fault.',
    description: `Pool pool 1 of system frankfurt fails ${ratio} of its transactions with errors that are not caused by clients.`,
    dashboard: ERRORS,
  })

export const systemErrors: readonly AlertCase[] = [
  {
    alert: 'SdsSystemErrors',
    name: 'fires after 15 minutes, without the errors of category User',
    series: {
      [FAILED]: '51.5x19 50x40',
      [SUCCEEDED]: '948.5x60',
      [`${BY_TYPE}{category="User",error_type="404 (S3)"}`]: '50x60',
      [`${BY_TYPE}{category="System",error_type="500 (S3)"}`]: '1.5x19',
    },
    at: {
      '14m': [],
      '15m': [ownErrors('warning', '0.15%')],
      '29m': [ownErrors('warning', '0.15%')],
      '30m': [],
    },
  },
  {
    alert: 'SdsSystemErrorsCritical',
    name: 'fires after 5 minutes where no types are served',
    series: { [FAILED]: '20x9 0x40', [SUCCEEDED]: '980x60' },
    at: { '4m': [], '5m': [ownErrors('critical', '2%')], '19m': [ownErrors('critical', '2%')], '20m': [] },
  },
  {
    alert: 'SdsSystemErrorsCritical',
    name: 'is silent at 0.8 %, and does not count failures of a node whose successes are not known',
    series: {
      [FAILED]: '8x30',
      [SUCCEEDED]: '992x30',
      [READS]: '0.6x30',
      [WRITES]: '0.6x30',
      [`${FAILED}{node="n2"}`]: '500x30',
    },
    at: { '5m': [], '15m': [] },
  },
  {
    alert: 'SdsSystemErrorsCritical',
    name: 'fires in spite of errors of category User on a node whose successes are not known',
    series: {
      [FAILED]: '20x30',
      [SUCCEEDED]: '980x30',
      [`${FAILED}{node="n2"}`]: '500x30',
      [`${BY_TYPE}{node="n2",category="User",error_type="404 (S3)"}`]: '500x30',
    },
    at: { '4m': [], '5m': [ownErrors('critical', '2%')] },
  },
  {
    alert: 'SdsSystemErrors',
    name: 'is silent when nearly all errors are of category User, for a pool with few transactions and without transactions',
    series: {
      [`${FAILED}{pool="quiet"}`]: '1x30',
      [`${SUCCEEDED}{pool="quiet"}`]: '1x30',
      [`${READS}{pool="quiet"}`]: '0.45x30',
      [`${WRITES}{pool="quiet"}`]: '0.45x30',
      [FAILED]: '300.6x30',
      [SUCCEEDED]: '699.4x30',
      [`${BY_TYPE}{category="User",error_type="404 (S3)"}`]: '200x30',
      [`${BY_TYPE}{category="User",error_type="403 (S3)"}`]: '100x30',
      [`${FAILED}{pool="idle"}`]: '0x30',
      [`${SUCCEEDED}{pool="idle"}`]: '0x30',
    },
    at: { '5m': [], '30m': [] },
  },
]
