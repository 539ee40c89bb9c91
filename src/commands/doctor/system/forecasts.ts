import type { SystemClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import type { Forecast } from '../../../api/feed/forecasts.ts'
import type { ForecastConfig } from '../../../config/config.ts'
import type { PoolState, SystemState } from '../../../state/state.ts'
import { type Finding, type FindingRow, failed, firstOf } from '../check/check.ts'
import type { SystemContext } from '../check/system_context.ts'
import { poolsWithNodes } from './findings.ts'

interface ForecastResponse {
  readonly isSupported: boolean
  /** Why it does not, in parentheses; may be empty. */
  readonly reason: string
  readonly failure?: ApiError
  readonly forecasts: readonly Forecast[]
}

/** Checks whether the system serves forecasts, and whether it needs the braces in the request. */
export async function checkForecasts(
  { system: { forecast }, signal }: SystemContext,
  client: SystemClient,
  state: SystemState,
): Promise<readonly Finding[]> {
  if (forecast.schedule === '') return [{ status: 'info', text: 'disabled (forecast.schedule is empty)' }]
  const [first, ...others] = poolsWithNodes(state)
  if (first === undefined) return [{ status: 'info', text: 'cannot be checked without nodes' }]
  const forecastsOf = ({ ref }: PoolState, braces: boolean) =>
    requestForecasts(client, ref.id, { ...forecast, braces }, signal)
  const chosen = await forecastsOf(first, forecast.braces)
  const form = formFinding(chosen, await forecastsOf(first, !forecast.braces), forecast)
  if (!chosen.isSupported) return [form]
  const read = others.map(async (pool) => poolFinding(pool.label, await forecastsOf(pool, forecast.braces)))
  return [form, poolFinding(first.label, chosen), ...(await Promise.all(read))]
}

async function requestForecasts(
  client: SystemClient,
  poolId: string,
  forecast: ForecastConfig,
  signal: AbortSignal,
): Promise<ForecastResponse> {
  const forecasts: Forecast[] = []
  try {
    for (const timeFrame of forecast.timeFrames) {
      const { nodes } = await client.forecasts(poolId, { ...forecast, timeFrame }, signal)
      forecasts.push(...nodes.flatMap((node) => node.forecasts))
    }
    return classify(forecasts, forecast)
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure
    return { isSupported: false, reason: ` (${failure.detail})`, failure, forecasts }
  }
}

const DAYS = { d: 1, w: 7 } as const

function classify(forecasts: readonly Forecast[], { timeFrames, targets }: ForecastConfig): ForecastResponse {
  const got = new Set(forecasts.map(({ historyDays, targetPercent }) => `${historyDays} ${targetPercent}`))
  const days = (frame: string) => Number.parseInt(frame, 10) * DAYS[frame.endsWith('w') ? 'w' : 'd']
  const requested = timeFrames.flatMap((frame) => targets.map((target) => `${days(frame)} ${target}`))
  const isSupported = got.size > 0 && requested.every((one) => got.has(one))
  return {
    isSupported,
    reason: got.size > 0 ? ' (the response has other forecasts than requested)' : '',
    forecasts,
  }
}

function formFinding(chosen: ForecastResponse, other: ForecastResponse, { braces }: ForecastConfig): Finding {
  const forms = ['with braces, {7d}', 'without braces, 7d'] as const
  const [ours, theirs] = braces ? forms : forms.toReversed()
  const onlyOurs = `the system supports requests ${ours}, but not ${theirs}: forecast.braces is correct`
  const onlyTheirs = `the system does not support requests ${ours}${chosen.reason}, but it supports requests ${theirs}`
  if (chosen.failure !== undefined && !other.isSupported) return failed(chosen.failure)
  const rows: readonly FindingRow[] = [
    [chosen.isSupported && other.isSupported, 'ok', BOTH],
    [chosen.isSupported, 'ok', onlyOurs],
    [other.isSupported, 'fail', onlyTheirs, `set forecast.braces: ${!braces}`],
  ]
  return firstOf(
    undefined,
    rows,
    'warn',
    `no forecasts, neither ${ours} nor ${theirs}${chosen.reason}`,
    TRY_OTHERS,
  )
}

const BOTH = 'the system supports both forms, {7d} and 7d: forecast.braces can be true or false'
const TRY_OTHERS =
  'try other forecast.time_frames and forecast.targets, or disable forecasts with forecast.schedule: ""'

/** `N/A` is a valid value: usage falls, or there is too little history. */
function poolFinding(subject: string, { isSupported, failure, forecasts: all }: ForecastResponse): Finding {
  if (failure !== undefined) return failed(failure, { subject })
  const made = all.filter(({ days }) => days !== undefined).length
  const text = `${made} of ${all.length} forecasts have a value`
  const rows: readonly FindingRow[] = [
    [!isSupported, 'warn', 'no forecasts', 'compare with the management interface'],
    [made < all.length, 'info', `${text}, the others are N/A: usage falls, or there is too little history`],
  ]
  return firstOf(subject, rows, 'ok', text)
}
