import { type AlertCase, cases, fires } from './case.ts'
import { SYSTEM } from './subjects.ts'

const NOT_AFTER = 'sds_system_tls_not_after_timestamp_seconds'
const DAY = 86_400
const ends = (time: string) => fires(SYSTEM, `expires in ${time}. After that it`)
const expired = fires(SYSTEM, 'has expired. It')
const INFO = 'sds_authn_provider_info'
const corporate = `${INFO}{provider="corporate ad",provider_id="urn:AuthProvider:1"}`

const removed = fires({ ...SYSTEM, provider: 'corporate ad', provider_id: 'urn:AuthProvider:1' })

export const accessCases: readonly AlertCase[] = [
  /** Time starts at 0 in these tests: a certificate that ends at second n has n seconds left at minute 0. */
  ...cases('SdsCertificateExpiring', 'warning', {
    'fires after an hour with less than 14 days left and ends with the renewal': {
      series: { [NOT_AFTER]: `${10 * DAY}x69 ${90 * DAY}x10` },
      at: { '59m': [], '60m': [ends('9 days')], '69m': [ends('9 days')], '70m': [] },
    },
    'is silent with more than 14 days left, and without a certificate': {
      series: { [NOT_AFTER]: `${15 * DAY}x80`, sds_system_up: '1x80' },
      at: { '10m': [], '80m': [] },
    },
  }),
  ...cases('SdsCertificateCritical', 'critical', {
    'fires after 10 minutes with less than 3 days left and ends with the renewal': {
      series: { [NOT_AFTER]: `${2 * DAY}x19 ${90 * DAY}x10` },
      at: { '9m': [], '10m': [ends('1 day')], '20m': [] },
    },
    'is silent with 5 days left': { series: { [NOT_AFTER]: `${5 * DAY}x80` }, at: { '10m': [], '60m': [] } },
    'fires after the end, also when an exporter that starts then cannot read the certificate': {
      series: { [NOT_AFTER]: '1200x30 stale', sds_system_up: '1x20 0x100' },
      at: { '10m': [ends('10m')], '21m': [expired], '30m': [expired], '120m': [expired] },
    },
  }),
  ...cases('SdsAuthnProviderRemoved', 'warning', {
    'fires 5 minutes after the removal and ends when the provider is listed again': {
      series: { [corporate]: '1x9 stale _x19 1x10', sds_authn_providers: '2x9 1x20 2x10' },
      at: { '14m': [], '15m': [removed], '29m': [removed], '30m': [] },
    },
    'is silent while the list cannot be read, and for a provider that was renamed': {
      series: {
        [corporate]: '1x9 stale',
        sds_authn_providers: '1x9 stale',
        [`${INFO}{system="paris",provider="old",provider_id="urn:AuthProvider:2"}`]: '1x9 stale',
        [`${INFO}{system="paris",provider="new",provider_id="urn:AuthProvider:2"}`]: '_x10 1x40',
        'sds_authn_providers{system="paris"}': '1x40',
      },
      at: { '15m': [], '40m': [] },
    },
  }),
]
