import { type AlertCase, cases, type Fired, fires } from './case.ts'
import { counter, INTERVAL, minutesOf } from './rare_polls.ts'
import { SYSTEM } from './subjects.ts'

const UP = 'sds_pool_up'
const polls = (result: string): string => `sds_pool_polls_total{result="${result}"}`

const listed = (code: string): string => `sds_api_requests_total{operation="pools",code="${code}"}`

const REFUSED = 'sds_api_logins_total{result="auth"}'

const login = fires(SYSTEM)
const token = fires(SYSTEM)
const forbidden = fires(SYSTEM)

/** The login is refused at minutes 10, 30 and 50; polls fail from minute 10. */
const loginRefused = {
  [UP]: '1x9 0x49 1x60',
  [polls('ok')]: '0+1x9 9x49 10+1x60',
  [polls('auth')]: '0x9 1+1x49 50x60',
  [REFUSED]: '0x9 1x19 2x19 3x70',
}

/** A token that expires at minute 10; there are no logins. */
const tokenExpired = {
  [UP]: '1x9 0x49 1x60',
  [polls('ok')]: '0+1x9 9x49 10+1x60',
  [polls('auth')]: '0x9 1+1x49 50x60',
}

const roleTaken = {
  [UP]: '1x9 0x49 1x60',
  [polls('ok')]: '0+1x9 9x49 10+1x60',
  [polls('forbidden')]: '0x9 1+1x49 50x60',
}

/** Minutes of the first refused poll, and of the first successful one after it. */
const REFUSED_FROM = 60
const REFUSED_UNTIL = 300

/** What is refused at each poll, by the name of its counter. */
const refusedEvery = (period: number, ...counters: readonly string[]): AlertCase['series'] => ({
  [INTERVAL]: `${period * 60}x320`,
  [UP]: '1x59 0x239 1x20',
  [polls('ok')]: counter(minutesOf(period, 0, REFUSED_FROM - 1), 320),
  ...Object.fromEntries(
    counters.map((name) => [name, counter(minutesOf(period, REFUSED_FROM, REFUSED_UNTIL - 1), 320)]),
  ),
})

const withoutInterruption = (alert: Fired): AlertCase['at'] => ({
  '69m': [],
  ...Object.fromEntries(minutesOf(6, 70, REFUSED_UNTIL + 4).map((minute) => [`${minute}m`, [alert]])),
  '305m': [],
})

export const refusalCases: readonly AlertCase[] = [
  ...[20, 60].flatMap((period): AlertCase[] => [
    ...cases('SdsTokenRefused', 'critical', {
      [`fires without interruption with a poll every ${period} min`]: {
        series: refusedEvery(period, polls('auth')),
        at: withoutInterruption(token),
      },
    }),
    ...cases('SdsAccessForbidden', 'critical', {
      [`fires without interruption with a poll every ${period} min`]: {
        series: refusedEvery(period, polls('forbidden')),
        at: withoutInterruption(forbidden),
      },
    }),
  ]),
  ...cases('SdsLoginRefused', 'critical', {
    'fires without interruption with a poll every 60 min': {
      series: refusedEvery(60, polls('auth'), REFUSED),
      at: withoutInterruption(login),
    },
  }),
  ...cases('SdsTokenRefused', 'critical', {
    'is silent for a login with a poll every 60 min': {
      series: refusedEvery(60, polls('auth'), REFUSED),
      at: { '100m': [], '200m': [], '290m': [] },
    },
  }),
  ...cases('SdsLoginRefused', 'critical', {
    'fires after 10 minutes and ends 5 minutes after the next successful poll': {
      series: loginRefused,
      at: { '19m': [], '20m': [login], '49m': [login], '64m': [login], '65m': [] },
    },
    'fires when no pool is known': {
      series: { sds_system_up: '1x60', [REFUSED]: '0x9 1x29 2x30' },
      at: { '19m': [], '20m': [login], '39m': [login] },
    },
    'is silent for a token': { series: tokenExpired, at: { '40m': [] } },
    'is silent for an old refusal, and once polls succeed again': {
      series: {
        [UP]: '0x90',
        [REFUSED]: '1x90',
        [polls('timeout')]: '0+1x90',
        'sds_pool_up{system="paris"}': '0x9 1x80',
        'sds_api_logins_total{system="paris",result="auth"}': '0+1x9 9x80',
      },
      at: { '45m': [], '90m': [] },
    },
    'is silent while another exporter can log in': {
      series: {
        'sds_pool_up{instance="a"}': '1x60',
        'sds_pool_up{instance="b"}': '0x60',
        sds_system_up: '1x60',
        [polls('auth')]: '0+1x60',
        [REFUSED]: '0+1x60',
      },
      at: { '40m': [] },
    },
  }),
  ...cases('SdsTokenRefused', 'critical', {
    'fires after 10 minutes and ends 5 minutes after the next successful poll': {
      series: tokenExpired,
      at: { '19m': [], '20m': [token], '64m': [token], '65m': [] },
    },
    'fires when no pool is known': {
      series: { sds_system_up: '1x60', [listed('401')]: '0+1x60' },
      at: { '10m': [], '11m': [token], '60m': [token] },
    },
    'fires although a login was refused long ago': {
      series: { ...tokenExpired, [REFUSED]: '1x120' },
      at: { '50m': [token] },
    },
    'is silent once the list could be read, and for other status codes': {
      series: {
        sds_system_up: '1x60',
        sds_pool_up: '1x60',
        [listed('302')]: '0+1x60',
        'sds_system_up{system="paris"}': '1x60',
        'sds_api_requests_total{system="paris",operation="pools",code="503"}': '0+1x60',
      },
      at: { '60m': [] },
    },
    'is silent for a login': { series: loginRefused, at: { '40m': [] } },
    'is silent for a token that was renewed in time, and for other failures': {
      series: {
        [UP]: '1x60',
        [polls('auth')]: '0x9 1x50',
        'sds_pool_up{system="paris"}': '0x60',
        'sds_pool_polls_total{system="paris",result="timeout"}': '0+1x60',
        'sds_pool_polls_total{system="paris",result="auth"}': '3x60',
        'sds_api_requests_total{system="paris",operation="pools",code="401"}': '3x60',
      },
      at: { '21m': [], '40m': [] },
    },
  }),
  ...cases('SdsAccessForbidden', 'critical', {
    'fires after 10 minutes and ends 5 minutes after the next successful poll': {
      series: roleTaken,
      at: { '19m': [], '20m': [forbidden], '64m': [forbidden], '65m': [] },
    },
    'fires when no pool is known': {
      series: { sds_system_up: '1x60', [listed('403')]: '_x5 1+1x55' },
      at: { '14m': [], '15m': [forbidden], '60m': [forbidden] },
    },
    'is silent for an old refusal, and while one exporter is allowed to read': {
      series: {
        [UP]: '0x60',
        [polls('forbidden')]: '3x60',
        [listed('403')]: '3x60',
        'sds_system_up{system="paris"}': '1x60',
        'sds_pool_up{system="paris",instance="a"}': '1x60',
        'sds_pool_up{system="paris",instance="b"}': '0x60',
        'sds_pool_polls_total{system="paris",result="forbidden"}': '0+1x60',
      },
      at: { '45m': [], '60m': [] },
    },
    'is silent for a token that is not accepted': { series: tokenExpired, at: { '40m': [] } },
  }),
]
