import { type AlertCase, fired } from './case.ts'
import { counter, minutesOf } from './rare_polls.ts'
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
  ...[5, 30].map(
    (period): AlertCase => ({
      alert: 'SdsQueryEmpty',
      name: `fires 5 minutes after an hour without data and ends 5 minutes after the next, with a query every ${period} min`,
      series: {
        [polls('ok')]: counter([...minutesOf(period, 0, 60), ...minutesOf(period, 240, 320)], 320),
        [polls('empty')]: counter(minutesOf(period, 60 + period, 239), 320),
      },
      at: {
        '123m': [],
        ...Object.fromEntries(minutesOf(7, 126, 244).map((minute) => [`${minute}m`, [empty]])),
        '245m': [],
        '320m': [],
      },
    }),
  ),
  {
    alert: 'SdsQueryEmpty',
    name: 'is silent for one answer without data, with a query every 30 min',
    series: {
      [polls('ok')]: counter([0, 30, 90, 120, 150], 180),
      [polls('empty')]: counter([60], 180),
    },
    at: Object.fromEntries(minutesOf(1, 60, 180).map((minute) => [`${minute}m`, []])),
  },
  {
    alert: 'SdsQueryEmpty',
    name: 'is silent for a system that never had data, and while one exporter gets data',
    series: {
      [polls('empty', ',system="new"')]: '0+1x90',
      [polls('empty', ',instance="a"')]: '0+1x90',
      [polls('ok', ',instance="b"')]: '0+1x90',
    },
    at: { '30m': [], '90m': [] },
  },
]
