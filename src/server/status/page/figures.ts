import type { ConditionName } from '../../../alerting/conditions/table.ts'
import type { PoolStatus, Problem } from '../../../status/model.ts'
import { durationText, latencyText, percentText } from '../../../text.ts'
import { type Content, type Html, html } from '../../page/html.ts'

/** The alerts of problems that are shown in each column. */
const ERRORS: readonly ConditionName[] = [
  'SdsSystemErrorsCritical',
  'SdsTransactionErrorsCritical',
  'SdsSystemErrors',
  'SdsTransactionErrors',
]
const FORECASTS: readonly ConditionName[] = ['SdsForecastCritical', 'SdsForecastShort']

/**
 * Failed transactions, latencies and the forecast of a pool; nothing without any of them.
 * @param problems those of the pool
 */
export function figureColumns({ figures }: PoolStatus, problems: readonly Problem[]): Html | undefined {
  const {
    failed_transactions_ratio: failed,
    read_latency_seconds: read,
    write_latency_seconds: write,
    forecast_seconds: forecast,
  } = figures
  if (failed === null && read === null && write === null && forecast === null) return undefined
  const marked = (alerts: readonly ConditionName[], content: Content) => {
    const problem = problems.find(({ alert }) => alerts.some((one) => one === alert))
    return problem === undefined ? content : html`<strong class="${problem.severity}">${content}</strong>`
  }
  const columns = [
    failed === null ? undefined : marked(ERRORS, `${percentText(failed)} failed`),
    [
      read === null ? undefined : marked(['SdsReadLatencyHigh'], `read ${latencyText(read)}`),
      read === null || write === null ? undefined : ', ',
      write === null ? undefined : marked(['SdsWriteLatencyHigh'], `write ${latencyText(write)}`),
    ],
    forecast === null ? undefined : marked(FORECASTS, `forecast ${durationText(forecast)}`),
  ]
  return html`<span class="service">${columns.map((column) => html`<span>${column}</span>`)}</span>`
}
