import { type AlertCase, fired } from '../case.ts'
import { NAMESPACE } from '../subjects.ts'

const DASHBOARD = '/d/sds-namespaces?var-system=frankfurt&var-namespace=ns+1'
const USED = 'sds_namespace_used_bytes'
const QUOTA = 'sds_namespace_quota_bytes{limit="hard"}'

const nearly = (level: 'High' | 'Critical', share: string) =>
  fired(`SdsNamespaceQuota${level}`, level === 'High' ? 'warning' : 'critical', 'namespaces', NAMESPACE, {
    summary: 'A namespace has nearly used its hard quota.',
    description: `Namespace ns 1 of system frankfurt uses ${share} of its hard quota. Writes beyond it are refused.`,
    dashboard: DASHBOARD,
  })
const soon = (share: string) =>
  fired('SdsNamespaceQuotaReachedSoon', 'warning', 'namespaces', NAMESPACE, {
    summary: 'A namespace reaches its hard quota within days at its current growth.',
    description: `Namespace ns 1 of system frankfurt would use ${share} of its hard quota in 7 days. Writes beyond it are refused.`,
    dashboard: DASHBOARD,
  })

/** Values of a day, one for each five minutes. */
const DAY = 288

/** Cases of the alerts about namespaces. */
export const namespaceCases: readonly AlertCase[] = [
  {
    alert: 'SdsNamespaceQuotaHigh',
    name: 'fires after 30 minutes and ends an hour after data was deleted',
    series: { [USED]: '80x9 86x39 80x90', [QUOTA]: '100x140' },
    at: { '39m': [], '40m': [nearly('High', '86%')], '109m': [nearly('High', '86%')], '110m': [] },
  },
  {
    alert: 'SdsNamespaceQuotaHigh',
    name: 'is silent below the limit, for a soft quota, and without a quota',
    series: {
      [USED]: '84x60',
      [QUOTA]: '100x60',
      [`${USED}{namespace="ns 2"}`]: '99x60',
      'sds_namespace_quota_bytes{namespace="ns 2",limit="soft"}': '10x60',
      [`${USED}{namespace="ns 3"}`]: '99x60',
    },
    at: { '60m': [] },
  },
  {
    alert: 'SdsNamespaceQuotaCritical',
    name: 'fires after 30 minutes and ends 30 minutes after the quota was raised',
    series: { [USED]: '96x140', [QUOTA]: '100x59 200x60' },
    at: { '29m': [], '30m': [nearly('Critical', '96%')], '89m': [nearly('Critical', '96%')], '90m': [] },
  },
  {
    alert: 'SdsNamespaceQuotaCritical',
    name: 'is silent at 95 percent',
    series: { [USED]: '95x60', [QUOTA]: '100x60' },
    at: { '60m': [] },
  },
  {
    alert: 'SdsNamespaceQuotaReachedSoon',
    name: 'fires after two days of growth by five percent a day, and ends three hours after its end',
    step: 5,
    series: { [USED]: `60000+18x${3 * DAY} 30000x${DAY}`, [QUOTA]: `100000x${5 * DAY}` },
    at: { '3055m': [], '3065m': [soon('107.3%')], '4490m': [soon('111.8%')], '4505m': [] },
  },
  {
    alert: 'SdsNamespaceQuotaReachedSoon',
    name: 'is silent for slow growth, for one upload, for little use, and for a new namespace',
    step: 5,
    series: {
      [USED]: `70000+1x${3 * DAY}`,
      [QUOTA]: `100000x${3 * DAY}`,
      [`${USED}{namespace="ns 2"}`]: `70000x${2 * DAY} 74000x${DAY}`,
      'sds_namespace_quota_bytes{namespace="ns 2",limit="hard"}': `100000x${3 * DAY}`,
      [`${USED}{namespace="ns 3"}`]: `0+60x${3 * DAY}`,
      'sds_namespace_quota_bytes{namespace="ns 3",limit="hard"}': `100000x${3 * DAY}`,
      [`${USED}{namespace="ns 4"}`]: `_x${2 * DAY} 70000+60x${DAY}`,
      'sds_namespace_quota_bytes{namespace="ns 4",limit="hard"}': `100000x${3 * DAY}`,
    },
    at: { '3400m': [], '4300m': [] },
  },
]
