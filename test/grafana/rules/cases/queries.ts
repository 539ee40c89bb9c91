import { type AlertCase, fired } from './case.ts'
import { SYSTEM } from './subjects.ts'

const PAGE = '/d/sds-exporter?var-system=frankfurt'
const REST = 'Its health and capacity are still monitored.'

const failing = fired('SdsQueryFailing', 'warning', 'exporter', SYSTEM, {
  summary: 'The query interface of a storage system fails.',
  description: `System frankfurt no longer answers queries of performance figures. ${REST}`,
  dashboard: PAGE,
})
const empty = fired('SdsQueryEmpty', 'warning', 'exporter', SYSTEM, {
  summary: 'The query interface of a storage system has no current data.',
  description: `System frankfurt answers queries of performance figures without current data. ${REST}`,
  dashboard: PAGE,
})
const UP = 'sds_system_query_up'
const polls = (result: string, labels = ''): string => `sds_query_polls_total{result="${result}"${labels}}`

/** Cases of the alerts about the query interface. */
export const queryCases: readonly AlertCase[] = [
  {
    alert: 'SdsQueryFailing',
    name: 'fires after 15 minutes and ends 5 minutes after the first success',
    series: { [UP]: '1x9 0x19 1x40' },
    at: { '24m': [], '25m': [failing], '34m': [failing], '35m': [] },
  },
  {
    alert: 'SdsQueryFailing',
    name: 'fires after a restart of the exporter',
    series: { [UP]: '1x9 _x4 0x40' },
    at: { '30m': [failing] },
  },
  {
    alert: 'SdsQueryFailing',
    name: 'is silent for a system without the interface, and while one exporter succeeds',
    series: {
      [`${UP}{system="documented"}`]: '0x60',
      'sds_system_up{system="classic"}': '1x60',
      [`${UP}{instance="a"}`]: '1x9 0x50',
      [`${UP}{instance="b"}`]: '1x60',
    },
    at: { '30m': [], '60m': [] },
  },
  {
    alert: 'SdsQueryEmpty',
    name: 'fires 15 minutes after the window without data and ends 5 minutes after the window has data',
    series: { [polls('ok')]: '0+1x9 9x39 10+1x60', [polls('empty')]: '0x9 1+1x39 40x60' },
    at: { '35m': [], '40m': [empty], '50m': [empty], '60m': [] },
  },
  {
    alert: 'SdsQueryEmpty',
    name: 'is silent for a system that never had data, and while one exporter gets data',
    series: {
      [polls('empty', ',system="new"')]: '0+1x60',
      [polls('empty', ',instance="a"')]: '0+1x60',
      [polls('ok', ',instance="b"')]: '0+1x60',
    },
    at: { '30m': [], '60m': [] },
  },
]
