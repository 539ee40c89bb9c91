import { type AlertCase, cases, fires } from './case.ts'
import { counter, minutesOf } from './rare_polls.ts'
import { SYSTEM } from './subjects.ts'

const failing = fires(SYSTEM)
const empty = fires(SYSTEM)
const UP = 'sds_system_query_up'
const polls = (result: string, labels = ''): string => `sds_query_polls_total{result="${result}"${labels}}`

/** Cases of the alerts about the Flux API. */
export const queryCases: readonly AlertCase[] = [
  ...cases('SdsQueryFailing', 'warning', {
    'fires after 15 minutes and ends 5 minutes after the first success': {
      series: { [UP]: '1x9 0x19 1x40' },
      at: { '24m': [], '25m': [failing], '34m': [failing], '35m': [] },
    },
    'fires after a restart of the exporter': { series: { [UP]: '1x9 _x4 0x40' }, at: { '30m': [failing] } },
    'is silent for a system without the interface, and while one exporter succeeds': {
      series: {
        [`${UP}{system="documented"}`]: '0x60',
        'sds_system_up{system="classic"}': '1x60',
        [`${UP}{instance="a"}`]: '1x9 0x50',
        [`${UP}{instance="b"}`]: '1x60',
      },
      at: { '30m': [], '60m': [] },
    },
  }),
  ...[5, 30].flatMap((period) =>
    cases('SdsQueryEmpty', 'warning', {
      [`fires 5 minutes after an hour without data and ends 5 minutes after the next, with a query every ${period} min`]:
        {
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
        },
    }),
  ),
  ...cases('SdsQueryEmpty', 'warning', {
    'is silent for one answer without data, with a query every 30 min': {
      series: { [polls('ok')]: counter([0, 30, 90, 120, 150], 180), [polls('empty')]: counter([60], 180) },
      at: Object.fromEntries(minutesOf(1, 60, 180).map((minute) => [`${minute}m`, []])),
    },
    'is silent for a system that never had data, and while one exporter gets data': {
      series: {
        [polls('empty', ',system="new"')]: '0+1x90',
        [polls('empty', ',instance="a"')]: '0+1x90',
        [polls('ok', ',instance="b"')]: '0+1x90',
      },
      at: { '30m': [], '90m': [] },
    },
  }),
]
