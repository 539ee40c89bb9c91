import { type AlertCase, cases, fires, of } from '../case.ts'
import { SYSTEM } from '../subjects.ts'

const AVAILABLE = 'sds_resource_available'
const UP = 'sds_resource_up'
const failing = (resource: string) => fires({ ...SYSTEM, resource })

/** Cases of the alert about resources. */
export const resourceCases: readonly AlertCase[] = [
  ...cases('SdsResourceFailing', 'warning', {
    'fires after 70 minutes and ends 5 minutes after the first success': {
      series: { [`${AVAILABLE}{resource="system"}`]: '1x150', [`${UP}{resource="system"}`]: '1x9 0x99 1x40' },
      at: { '79m': [], '80m': [failing('system')], '114m': [failing('system')], '115m': [] },
    },
    'fires for one that was never read, and does not say that it was': {
      series: { [`${AVAILABLE}{resource="pools"}`]: '1x90', [`${UP}{resource="pools"}`]: '0x90' },
      at: { '69m': [], '70m': [failing('pools')] },
    },
    'fires for a day for a resource that is no longer allowed': {
      step: 5,
      series: { ...of('resource="namespaces"', { [AVAILABLE]: '1x11 0x330', [UP]: '1x11 stale' }) },
      at: { '125m': [], '130m': [failing('namespaces')], '1490m': [failing('namespaces')], '1510m': [] },
    },
    'is silent for one that was never available, is turned off, fails once in an hour, or that one exporter reads':
      {
        series: {
          [`${AVAILABLE}{resource="buckets"}`]: '0x150',
          ...of('resource="quotas"', { [AVAILABLE]: '1x20 stale', [UP]: '1x20 stale' }),
          ...of('resource="inventory"', { [AVAILABLE]: '1x150', [UP]: '1x9 0x60 1x80' }),
          [`${AVAILABLE}{resource="pools"}`]: '1x150',
          [`${UP}{instance="a",resource="pools"}`]: '0x150',
          [`${UP}{instance="b",resource="pools"}`]: '1x150',
        },
        at: { '79m': [], '100m': [], '150m': [] },
      },
  }),
]
