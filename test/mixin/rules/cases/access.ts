import { type AlertCase, fired } from './case.ts'

const SYSTEM = { system: 'frankfurt' }
const PAGE = '/d/sds-exporter?var-system=frankfurt'
const UP = 'sds_pool_up'
const polls = (result: string): string => `sds_pool_polls_total{result="${result}"}`
const listed = (code: string): string => `sds_api_requests_total{operation="pools",code="${code}"}`
const REFUSED = 'sds_api_logins_total{result="auth"}'

const login = fired('SdsLoginRefused', 'critical', 'access', SYSTEM, {
  summary: 'A storage system refuses the login of the exporter.',
  description:
    'System frankfurt refuses the user name and password of the exporter. Its pools are not monitored, and the account may be locked.',
  dashboard: PAGE,
})
const token = fired('SdsTokenRefused', 'critical', 'access', SYSTEM, {
  summary: 'A storage system refuses the token of the exporter.',
  description:
    'System frankfurt does not accept the token of the exporter, which has expired or was revoked. Its pools are not monitored.',
  dashboard: PAGE,
})
const forbidden = fired('SdsAccessForbidden', 'critical', 'access', SYSTEM, {
  summary: 'The account of the exporter lacks a role at a storage system.',
  description:
    'System frankfurt accepts the account of the exporter but forbids it to read: the role SYSTEM_MONITOR is missing. Its pools are not monitored.',
  dashboard: PAGE,
})

/** The login is refused at minute 10, 30 and 50, between growing pauses; the polls fail all the time. */
const loginRefused = {
  [UP]: '1x9 0x49 1x60',
  [polls('ok')]: '0+1x9 9x49 10+1x60',
  [polls('auth')]: '_x10 1+1x49 50x60',
  [REFUSED]: '_x10 1x19 2x19 3x70',
}
/** A token that ends at minute 10: nobody logs in. */
const tokenExpired = {
  [UP]: '1x9 0x49 1x60',
  [polls('ok')]: '0+1x9 9x49 10+1x60',
  [polls('auth')]: '_x10 1+1x49 50x60',
}
const roleTaken = {
  [UP]: '1x9 0x49 1x60',
  [polls('ok')]: '0+1x9 9x49 10+1x60',
  [polls('forbidden')]: '_x10 1+1x49 50x60',
}

const refusals: readonly AlertCase[] = [
  {
    alert: 'SdsLoginRefused',
    name: 'fires after 10 minutes and ends with the next good poll and 5 minutes',
    series: loginRefused,
    at: { '19m': [], '20m': [login], '49m': [login], '64m': [login], '65m': [] },
  },
  {
    alert: 'SdsLoginRefused',
    name: 'fires also when no pool was ever listed',
    series: { sds_system_up: '1x60', [REFUSED]: '_x10 1x29 2x30' },
    at: { '19m': [], '20m': [login], '39m': [login] },
  },
  { alert: 'SdsLoginRefused', name: 'is silent for a token', series: tokenExpired, at: { '40m': [] } },
  {
    alert: 'SdsLoginRefused',
    name: 'is silent for a refusal of the past, and while polls succeed again',
    series: {
      [UP]: '0x90',
      [REFUSED]: '1x90',
      [polls('timeout')]: '0+1x90',
      'sds_pool_up{system="paris"}': '0x9 1x80',
      'sds_api_logins_total{system="paris",result="auth"}': '0+1x9 9x80',
    },
    at: { '45m': [], '90m': [] },
  },
  {
    alert: 'SdsLoginRefused',
    name: 'is silent while another exporter still gets in',
    series: {
      'sds_pool_up{instance="a"}': '1x60',
      'sds_pool_up{instance="b"}': '0x60',
      sds_system_up: '1x60',
      [polls('auth')]: '0+1x60',
      [REFUSED]: '0+1x60',
    },
    at: { '40m': [] },
  },
  {
    alert: 'SdsTokenRefused',
    name: 'fires after 10 minutes and ends with the next good poll and 5 minutes',
    series: tokenExpired,
    at: { '19m': [], '20m': [token], '64m': [token], '65m': [] },
  },
  {
    alert: 'SdsTokenRefused',
    name: 'fires also when no pool was ever listed',
    series: { sds_system_up: '1x60', [listed('401')]: '0+1x60' },
    at: { '10m': [], '11m': [token], '60m': [token] },
  },
  {
    alert: 'SdsTokenRefused',
    name: 'fires where a login was refused long ago',
    series: { ...tokenExpired, [REFUSED]: '1x120' },
    at: { '50m': [token] },
  },
  {
    alert: 'SdsTokenRefused',
    name: 'is silent when a list could be read after all, and for other answers',
    series: {
      sds_system_up: '1x60',
      sds_pool_up: '1x60',
      [listed('302')]: '0+1x60',
      'sds_system_up{system="paris"}': '1x60',
      'sds_api_requests_total{system="paris",operation="pools",code="503"}': '0+1x60',
    },
    at: { '60m': [] },
  },
  { alert: 'SdsTokenRefused', name: 'is silent for a login', series: loginRefused, at: { '40m': [] } },
  {
    alert: 'SdsTokenRefused',
    name: 'is silent for a token that was renewed in time, and for other failures',
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
  {
    alert: 'SdsAccessForbidden',
    name: 'fires after 10 minutes and ends with the next good poll and 5 minutes',
    series: roleTaken,
    at: { '19m': [], '20m': [forbidden], '64m': [forbidden], '65m': [] },
  },
  {
    alert: 'SdsAccessForbidden',
    name: 'fires also when no pool was ever listed',
    series: { sds_system_up: '1x60', [listed('403')]: '_x5 1+1x55' },
    at: { '14m': [], '15m': [forbidden], '60m': [forbidden] },
  },
  {
    alert: 'SdsAccessForbidden',
    name: 'is silent for a refusal of the past and while one exporter may read',
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
  {
    alert: 'SdsAccessForbidden',
    name: 'is silent for a token that is not accepted at all',
    series: tokenExpired,
    at: { '40m': [] },
  },
]

const NOT_AFTER = 'sds_system_tls_not_after_timestamp_seconds'
const DAY = 86_400
const ends = (severity: 'critical' | 'warning', time: string) =>
  fired('SdsCertificateExpiring', severity, 'access', SYSTEM, {
    summary: 'The TLS certificate of a storage system expires soon.',
    description: `System frankfurt presents a certificate that expires in ${time}. After that it cannot be polled.`,
    dashboard: PAGE,
  })
/** Time starts at 0 in these tests: a certificate that ends at second n has n seconds left at minute 0. */
const certificate: readonly AlertCase[] = [
  {
    alert: 'SdsCertificateExpiring',
    name: 'warns an hour after 14 days are left and ends with the renewal',
    series: { [NOT_AFTER]: `${10 * DAY}x69 ${90 * DAY}x10` },
    at: {
      '59m': [],
      '60m': [ends('warning', '9d 23h 0m 0s')],
      '69m': [ends('warning', '9d 22h 51m 0s')],
      '70m': [],
    },
  },
  {
    alert: 'SdsCertificateExpiring',
    name: 'is critical 10 minutes after 3 days are left and ends with the renewal',
    series: { [NOT_AFTER]: `${2 * DAY}x19 ${90 * DAY}x10` },
    at: { '9m': [], '10m': [ends('critical', '1d 23h 50m 0s')], '20m': [] },
  },
  {
    alert: 'SdsCertificateExpiring',
    name: 'is not yet critical with 5 days left',
    series: { [NOT_AFTER]: `${5 * DAY}x80` },
    at: { '10m': [], '60m': [ends('warning', '4d 23h 0m 0s')] },
  },
  {
    alert: 'SdsCertificateExpiring',
    name: 'is silent for a certificate that lasts, and where there is none',
    series: { [NOT_AFTER]: `${15 * DAY}x80`, sds_system_up: '1x80' },
    at: { '10m': [], '80m': [] },
  },
]

const INFO = 'sds_authn_provider_info'
const corporate = `${INFO}{provider="corporate ad",provider_id="urn:AuthProvider:1"}`
const removed = fired(
  'SdsAuthnProviderRemoved',
  'warning',
  'access',
  { ...SYSTEM, provider: 'corporate ad', provider_id: 'urn:AuthProvider:1' },
  {
    summary: 'An authentication provider was removed from a storage system.',
    description:
      'System frankfurt no longer lists the authentication provider corporate ad: its users cannot log in.',
    dashboard: PAGE,
  },
)
const providers: readonly AlertCase[] = [
  {
    alert: 'SdsAuthnProviderRemoved',
    name: 'fires 5 minutes after the removal and ends when the provider is back',
    series: { [corporate]: '1x9 stale _x19 1x10', sds_authn_providers: '2x9 1x20 2x10' },
    at: { '14m': [], '15m': [removed], '29m': [removed], '30m': [] },
  },
  {
    alert: 'SdsAuthnProviderRemoved',
    name: 'is silent while the list cannot be read, and for a provider that was renamed',
    series: {
      [corporate]: '1x9 stale',
      sds_authn_providers: '1x9 stale',
      [`${INFO}{system="paris",provider="old",provider_id="urn:AuthProvider:2"}`]: '1x9 stale',
      [`${INFO}{system="paris",provider="new",provider_id="urn:AuthProvider:2"}`]: '_x10 1x40',
      'sds_authn_providers{system="paris"}': '1x40',
    },
    at: { '15m': [], '40m': [] },
  },
]

export const accessCases: readonly AlertCase[] = [...refusals, ...certificate, ...providers]
