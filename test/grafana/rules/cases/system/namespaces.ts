import { type AlertCase, cases, fires } from '../case.ts'
import { NAMESPACE } from '../subjects.ts'

const USED = 'sds_namespace_used_bytes'
const QUOTA = 'sds_namespace_quota_bytes{limit="hard"}'

const nearly = (share: string) => fires(NAMESPACE, share)
const soon = (share: string) => fires(NAMESPACE, share, '7 days')

/** Values of a day, one for each five minutes. */
const DAY = 288

/** Cases of the alerts about namespaces. */
export const namespaceCases: readonly AlertCase[] = [
  ...cases('SdsNamespaceQuotaHigh', 'warning', {
    'fires after 30 minutes and ends an hour after data was deleted': {
      series: { [USED]: '80x9 86x39 80x90', [QUOTA]: '100x140' },
      at: { '39m': [], '40m': [nearly('86%')], '109m': [nearly('86%')], '110m': [] },
    },
    'is silent below the limit, for a soft quota, and without a quota': {
      series: {
        [USED]: '84x60',
        [QUOTA]: '100x60',
        [`${USED}{namespace="ns 2"}`]: '99x60',
        'sds_namespace_quota_bytes{namespace="ns 2",limit="soft"}': '10x60',
        [`${USED}{namespace="ns 3"}`]: '99x60',
      },
      at: { '60m': [] },
    },
  }),
  ...cases('SdsNamespaceQuotaCritical', 'critical', {
    'fires after 30 minutes and ends 30 minutes after the quota was raised': {
      series: { [USED]: '96x140', [QUOTA]: '100x59 200x60' },
      at: { '29m': [], '30m': [nearly('96%')], '89m': [nearly('96%')], '90m': [] },
    },
    'is silent at 95 percent': { series: { [USED]: '95x60', [QUOTA]: '100x60' }, at: { '60m': [] } },
  }),
  ...cases('SdsNamespaceQuotaReachedSoon', 'warning', {
    'fires after two days of growth by five percent a day, and ends three hours after its end': {
      step: 5,
      series: { [USED]: `60000+18x${3 * DAY} 30000x${DAY}`, [QUOTA]: `100000x${5 * DAY}` },
      at: { '3055m': [], '3065m': [soon('107.3%')], '4490m': [soon('111.8%')], '4505m': [] },
    },
    'is silent for slow growth, for one upload, for little use, and for a new namespace': {
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
  }),
]
