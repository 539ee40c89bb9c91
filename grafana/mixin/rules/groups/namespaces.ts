import { promql, select } from '../../promql/expression.ts'
import { RECORDED } from '../../promql/metrics.ts'
import { LIMITS, NAMESPACE_KEY, THRESHOLDS } from '../../settings.ts'
import { type AlertGroup, alertsAbout, level, shown, twoLevels } from './rule.ts'
import { dashboardOf, durationOf, NAMESPACE } from './templates.ts'

const about = { scope: 'system', dashboard: dashboardOf('namespaces', NAMESPACE_KEY) } as const
const { warning } = alertsAbout(about)
const USED = select(RECORDED.quotaUsed)

const ADVICE = 'ask its owner to delete data, or raise the quota'

const quotaHigh = twoLevels({
  ...about,
  limit: THRESHOLDS.quotaRatio,
  expr: (limit) => promql`${USED} > ${limit}`,
  status: (limit) => shown('quota', ['used_ratio', '>', limit]),
  description: `${NAMESPACE} uses {{ $value | humanizePercentage }} of its hard quota. Writes beyond it are refused.`,
  advice: ADVICE,
  critical: level('SdsNamespaceQuotaCritical', 'A namespace is almost at its hard quota.', '30m', '30m'),
  warning: level('SdsNamespaceQuotaHigh', 'A namespace has used most of its hard quota.', '30m', '1h'),
})

/** The trend of three days, which one large upload does not change much. */
const reachedSoon = warning('SdsNamespaceQuotaReachedSoon', {
  expr: promql`predict_linear(${USED}[3d], ${LIMITS.quotaTrendSeconds}) >= 1
and
${USED} > ${LIMITS.quotaTrendRatio}
and
${USED} offset 2d`,
  for: '3h',
  keepFiringFor: '3h',
  summary: 'A namespace reaches its hard quota within days at its current growth.',
  description: `${NAMESPACE} would use {{ $value | humanizePercentage }} of its hard quota in ${durationOf(LIMITS.quotaTrendSeconds)}. Writes beyond it are refused.`,
  advice: ADVICE,
})

export const namespacesGroup: AlertGroup = {
  name: 'sds-namespaces',
  component: 'namespaces',
  alerts: [...quotaHigh, reachedSoon],
}
