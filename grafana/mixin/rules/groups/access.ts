import { type Expression, type Matcher, promql, select } from '../../promql/expression.ts'
import { by, increased, increasedOrNew, perPoolId, perSystem } from '../../promql/operators.ts'
import { sinceLastPolls } from '../../promql/polled_pools.ts'
import { SYSTEM_KEY, THRESHOLDS } from '../../settings.ts'
import { type Alert, type AlertGroup, alertsAbout, level, shown, twoLevels } from './rule.ts'
import { DURATION, dashboardOf, SYSTEM } from './templates.ts'

const { warning } = alertsAbout({})

const exporterPage = dashboardOf('exporter', SYSTEM_KEY)

/**
 * Systems with a pool that no exporter can poll, or without known pools because their list is refused. If only one of
 * two exporters is refused, the system is still monitored.
 */
const unmonitored = promql`(
min by (system) (${perPoolId(select('sds_pool_up'))}) == 0
or
${perSystem(select('sds_system_up'))} unless on (system) ${select('sds_pool_up')}
)`
/** Polls with this result, or requests for the list of pools with such a status code. */
const refused = (result: string, code: Matcher): Expression =>
  sinceLastPolls(
    '15m',
    (window) => promql`${increased(SYSTEM_KEY, select('sds_pool_polls_total', `result="${result}"`), window)}
or
${increasedOrNew(SYSTEM_KEY, select('sds_api_requests_total', 'operation="pools"', code), window)}`,
  )
/** The backoff after refused logins increases to ten minutes, hence the longer window. */
const loginsRefused = sinceLastPolls('30m', (window) =>
  increased(SYSTEM_KEY, select('sds_api_logins_total', 'result="auth"'), window),
)

const refusal = (row: Pick<Alert, 'alert' | 'expr' | 'summary' | 'description' | 'advice'>): Alert => ({
  ...row,
  severity: 'critical',
  scope: 'system',
  for: '10m',
  keepFiringFor: '5m',
  dashboard: exporterPage,
})

const DOCTOR = 'run doctor: it has the words of the system, and the remedy'

const refusals: readonly Alert[] = [
  refusal({
    alert: 'SdsLoginRefused',
    expr: promql`${unmonitored}\nand\n${loginsRefused}`,
    summary: 'A storage system refuses the login of the exporter.',
    description: `${SYSTEM} refuses the login of the exporter: the password may be wrong, the account locked, its address blocked, or too many sessions open. Its pools are not monitored.`,
    advice: DOCTOR,
  }),
  refusal({
    alert: 'SdsTokenRefused',
    expr: promql`${unmonitored}\nand\n${refused('auth', 'code=~"302|401"')}\nunless\n${loginsRefused}`,
    summary: 'A storage system refuses the token of the exporter.',
    description: `${SYSTEM} does not accept the token of the exporter, which has expired or was revoked. Its pools are not monitored.`,
    advice: 'write a new token to its file, or configure user name and password',
  }),
  refusal({
    alert: 'SdsAccessForbidden',
    expr: promql`${unmonitored}\nand\n${refused('forbidden', 'code="403"')}`,
    summary: 'A storage system forbids the exporter to read.',
    description: `${SYSTEM} accepts the account of the exporter but forbids it to read: its role, the license of the system, or the host name in base_url may be the cause. Its pools are not monitored.`,
    advice: DOCTOR,
  }),
]

const notAfter = select('sds_system_tls_not_after_timestamp_seconds')
/** An exporter that starts after the end of a certificate cannot read it, hence the last value of a day. */
const certificateTime = promql`(
  ${by('min', SYSTEM_KEY, notAfter)}
  or
  ${by('min', SYSTEM_KEY, promql`last_over_time(${notAfter}[1d])`)}
) - time()`
const certificate = twoLevels({
  scope: 'system',
  limit: THRESHOLDS.certificateSeconds,
  expr: (limit) => promql`${certificateTime} < ${limit}`,
  status: (limit) => shown('certificate', ['seconds_left', '<', limit]),
  description: `${SYSTEM} presents a certificate that {{ if lt $value 0.0 }}has expired. It{{ else }}expires in ${DURATION}. After that it{{ end }} cannot be polled.`,
  advice: 'renew the certificate on the system',
  dashboard: exporterPage,
  critical: level(
    'SdsCertificateCritical',
    'The TLS certificate of a storage system expires within days, or has expired.',
    '10m',
  ),
  warning: level('SdsCertificateExpiring', 'The TLS certificate of a storage system expires soon.', '1h'),
})

/** Matched by id, and only where the list could be read: an unreadable list is not a removal. */
const providerRemoved = warning('SdsAuthnProviderRemoved', {
  scope: 'system',
  expr: promql`(
  max by (system,provider,provider_id) (max_over_time(${select('sds_authn_provider_info')}[1d]))
  unless on (system,provider_id)
  max by (system,provider_id) (${select('sds_authn_provider_info')})
)
and on (system) ${perSystem(select('sds_authn_providers'))} >= 0`,
  for: '5m',
  summary: 'An authentication provider was removed from a storage system.',
  description: `${SYSTEM} no longer lists the authentication provider {{ $labels.provider }}: its users cannot log in.`,
  advice: 'ask who removed it: the audit log has deletions by this exporter',
  dashboard: exporterPage,
})

export const accessGroup: AlertGroup = {
  name: 'sds-access',
  component: 'access',
  alerts: [...refusals, ...certificate, providerRemoved],
}
