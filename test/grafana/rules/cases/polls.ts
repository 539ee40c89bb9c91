import { type AlertCase, cases, fires, of } from './case.ts'
import { counter, INTERVAL, minutesOf } from './rare_polls.ts'
import { POLLED_POOL, SYSTEM } from './subjects.ts'

const LAST = 'sds_pool_last_success_timestamp_seconds'
const unreachable = fires(SYSTEM)
const failing = (pool = 'pool 1') => fires({ ...POLLED_POOL, pool })
const poolsUnknown = fires(SYSTEM)
const errorsHigh = (failed = '15%') => fires(POLLED_POOL, failed)
const overdue = fires(POLLED_POOL, '16m')
const systemVanished = fires(SYSTEM)
const poolVanished = fires(POLLED_POOL)
const OK = 'sds_pool_polls_total{result="ok"}'
const TIMEOUT = 'sds_pool_polls_total{result="timeout"}'

/** Cases of the alerts about systems and polls. */
export const pollCases: readonly AlertCase[] = [
  ...cases('SdsSystemUnreachable', 'critical', {
    'fires after 10 minutes and ends 5 minutes after the first response': {
      series: { sds_system_up: '1x4 0x14 1x40' },
      at: { '14m': [], '15m': [unreachable], '24m': [unreachable], '25m': [] },
    },
    'is silent while one exporter gets responses, and for refusals': {
      series: {
        'sds_system_up{instance="a"}': '0x20',
        'sds_system_up{instance="b"}': '1x20',
        ...of('system="paris"', { sds_system_up: '1x20', sds_pool_up: '0x20' }),
      },
      at: { '20m': [] },
    },
    'waits for two intervals of a system that is polled rarely': {
      series: { sds_system_up: '1x14 0x60', [LAST]: '0x80', [INTERVAL]: '900x80' },
      at: { '40m': [], '41m': [unreachable] },
    },
  }),
  ...cases('SdsPoolPollsFailing', 'critical', {
    'fires after 10 minutes and ends 5 minutes after the first successful poll': {
      series: { sds_pool_up: '0x14 1x40', 'sds_pool_up{pool="pool 2",pool_id="p2"}': '1x60' },
      at: { '9m': [], '10m': [failing()], '19m': [failing()], '20m': [] },
    },
    'waits for two intervals of a system that is polled rarely': {
      series: { sds_pool_up: '1x14 0x60', [LAST]: '0x80', [INTERVAL]: '900x80' },
      at: { '40m': [], '41m': [failing()] },
    },
    'has the id of a pool whose name is not known': {
      series: { 'sds_pool_up{pool="p1"}': '0x14' },
      at: { '10m': [failing('p1')] },
    },
    'is silent while one exporter can poll, and for a few failures': {
      series: {
        'sds_pool_up{instance="a"}': '0x20',
        'sds_pool_up{instance="b"}': '1x20',
        'sds_pool_up{pool="pool 2",pool_id="p2"}': '0x8 1x10',
      },
      at: { '10m': [], '20m': [] },
    },
    'is silent while one exporter can poll, and the other one never learned the name': {
      series: { 'sds_pool_up{instance="a",pool="p1"}': '0x20', 'sds_pool_up{instance="b"}': '1x20' },
      at: { '20m': [] },
    },
    'lasts for an hour after the pool is no longer listed, only where its polls failed until then': {
      series: {
        sds_pool_up: '1x9 0x14 stale',
        'sds_pool_up{pool="pool 2",pool_id="p2"}': '0x9 1x14 stale',
        // A name that was not known before the first successful poll.
        'sds_pool_up{pool="p3",pool_id="p3"}': '0x1 stale',
        'sds_pool_up{pool="pool 3",pool_id="p3"}': '_x2 1x20 stale',
      },
      at: { '19m': [], '20m': [failing()], '83m': [failing()], '92m': [] },
    },
  }),
  ...cases('SdsSystemVanished', 'critical', {
    'fires after 10 minutes without an exporter that has the system, and ends after a day': {
      step: 5,
      series: { sds_system_up: '1x11 stale', 'sds_system_up{system="paris"}': '1x310' },
      at: { '65m': [], '70m': [systemVanished], '1490m': [systemVanished], '1500m': [] },
    },
    'is silent while one exporter has the system, for one that does not respond, and for a short restart': {
      series: {
        'sds_system_up{instance="a"}': '1x9 stale',
        'sds_system_up{instance="b"}': '1x60',
        'sds_system_up{system="paris"}': '1x9 0x50',
        'sds_system_up{system="rome"}': '1x9 stale _x8 1x40',
      },
      at: { '15m': [], '30m': [], '60m': [] },
    },
  }),
  ...cases('SdsPoolVanished', 'critical', {
    'fires after 10 minutes without an exporter that has the pool, and ends after a day': {
      step: 5,
      series: {
        sds_pool_info: '1x11 stale',
        [LAST]: '300+300x11 stale',
        ...of('pool="pool 2",pool_id="p2"', { sds_pool_info: '1x310', [LAST]: '300+300x310' }),
        sds_system_up: '1x310',
      },
      at: { '65m': [], '70m': [poolVanished], '1490m': [poolVanished], '1500m': [] },
    },
    'is silent for a renamed pool, for one that another exporter has, and for pools of systems that do not respond or vanished':
      {
        series: {
          sds_pool_info: '1x9 stale',
          [LAST]: '60+60x9 stale',
          ...of('pool="new name"', { sds_pool_info: '_x10 1x50', [LAST]: '_x10 660+60x50' }),
          'sds_pool_info{instance="a",pool="pool 2",pool_id="p2"}': '1x9 stale',
          [`${LAST}{instance="a",pool="pool 2",pool_id="p2"}`]: '60+60x9 stale',
          'sds_pool_info{instance="b",pool="pool 2",pool_id="p2"}': '1x60',
          sds_system_up: '1x60',
          ...of('system="paris"', { sds_pool_info: '1x9 stale', [LAST]: '60+60x9 stale' }),
          'sds_system_up{system="paris"}': '0x60',
          ...of('system="rome"', { sds_pool_info: '1x9 stale', [LAST]: '60+60x9 stale' }),
          'sds_system_up{system="rome"}': '1x9 stale',
        },
        at: { '15m': [], '30m': [], '60m': [] },
      },
  }),
  ...cases('SdsPoolsUnknown', 'critical', {
    'fires after 10 minutes and ends 5 minutes after the first poll': {
      series: { sds_system_up: '1x60', sds_pool_up: '_x20 1x40' },
      at: { '9m': [], '10m': [poolsUnknown], '24m': [poolsUnknown], '25m': [] },
    },
    'is silent for a system that does not respond, and while polls fail': {
      series: {
        sds_system_up: '0x20',
        ...of('system="paris"', { sds_system_up: '1x20', sds_pool_up: '0x20' }),
      },
      at: { '20m': [] },
    },
  }),
  ...cases('SdsPollErrorsHigh', 'warning', {
    'fires after 15 minutes for the worse of the exporters and ends 15 minutes after the last failure': {
      series: {
        'sds_pool_polls_total{instance="a",result="ok"}': '0+1x120',
        'sds_pool_polls_total{instance="b",result="ok"}': '0+17x40 697+20x80',
        'sds_pool_polls_total{instance="b",result="timeout"}': '0+3x40 120x80',
      },
      at: { '10m': [], '20m': [errorsHigh()], '40m': [errorsHigh()], '60m': [] },
    },
    'is silent without failures, for few failures, and without polls': {
      series: {
        'sds_pool_polls_total{result="ok"}': '0+19x60',
        'sds_pool_polls_total{result="timeout"}': '0+1x60',
        'sds_pool_polls_total{pool_id="p2",result="ok"}': '0+1x60',
        'sds_pool_polls_total{pool_id="p3",result="timeout"}': '5x60',
      },
      at: { '60m': [] },
    },
  }),
  ...cases('SdsPollsOverdue', 'warning', {
    'fires after 5 and 10 minutes without a poll and ends with the next poll': {
      series: { [LAST]: '0x19 1200x10', sds_pool_up: '1x40' },
      at: { '15m': [], '16m': [overdue], '20m': [] },
    },
    'waits for three intervals of a system that is polled rarely': {
      series: { [LAST]: '0x55 3360x60', sds_pool_up: '1x100', [INTERVAL]: '900x100' },
      at: { '55m': [], '90m': [] },
    },
    'is silent while polls fail, which has other alerts': {
      series: { [LAST]: '0x40', sds_pool_up: '0x40' },
      at: { '40m': [] },
    },
  }),
  /** Every second poll of ten hours fails, or one of them. */
  ...[20, 60].flatMap((period) =>
    cases('SdsPollErrorsHigh', 'warning', {
      [`fires without interruption where every second poll fails, with a poll every ${period} min`]: {
        series: {
          [INTERVAL]: `${period * 60}x600`,
          [OK]: counter(minutesOf(2 * period, 0, 600), 600),
          [TIMEOUT]: counter(minutesOf(2 * period, period, 600), 600),
        },
        // The fourth hour ends with a success, the fifth begins with a failure: its window of 15 minutes is all failures.
        at: Object.fromEntries(
          minutesOf(5, 303, 598).map((minute) => {
            const failedAgo = (minute + period) % (2 * period)
            return [`${minute}m`, [errorsHigh(failedAgo < 15 ? '100%' : '50%')]]
          }),
        ),
      },
      [`is silent for a single failed poll, with a poll every ${period} min`]: {
        series: {
          [INTERVAL]: `${period * 60}x600`,
          [OK]: counter(
            minutesOf(period, 0, 600).filter((minute) => minute !== 300),
            600,
          ),
          [TIMEOUT]: counter([300], 600),
        },
        at: Object.fromEntries(minutesOf(5, 303, 598).map((minute) => [`${minute}m`, []])),
      },
    }),
  ),
]
