import type { SystemClient } from '../../../api/client.ts'
import type { Forecast } from '../../../api/feed/snapshots.ts'
import type { PoolState, SystemState } from '../../../state/state.ts'
import { type Finding, type FindingRow, failed, firstOf, type SystemContext } from '../check/check.ts'
import { poolsWithNodes } from './findings.ts'

/** Whether the system serves the forecasts that the exporter requests. */
export async function checkForecasts(
  context: SystemContext,
  client: SystemClient,
  state: SystemState,
): Promise<readonly Finding[]> {
  if (context.system.forecast.schedule === '')
    return [{ status: 'info', text: 'disabled (forecast.schedule is empty)' }]
  const pools = poolsWithNodes(state)
  if (pools.length === 0) return [{ status: 'info', text: 'cannot be checked without nodes' }]
  return Promise.all(pools.map((pool) => poolFinding(pool, context, client)))
}

async function poolFinding(
  { label: subject, ref }: PoolState,
  { system: { forecast }, signal }: SystemContext,
  client: SystemClient,
): Promise<Finding> {
  const all: Forecast[] = []
  const lacking: string[] = []
  try {
    for (const timeFrame of forecast.timeFrames) {
      const { nodes } = await client.forecasts(ref.id, { ...forecast, timeFrame }, signal)
      const found = nodes.flatMap((node) => node.forecasts)
      const targets = forecast.targets.filter((target) =>
        found.every(({ targetPercent }) => targetPercent !== String(target)),
      )
      lacking.push(...targets.map((target) => `${target} % by ${timeFrame}`))
      all.push(...found)
    }
  } catch (failure) {
    signal.throwIfAborted()
    return failed(failure, { subject })
  }
  const made = all.filter(({ days }) => days !== undefined).length
  const text = `${made} of ${all.length} forecasts have a value`
  const tryOthers = `try forecast.braces: ${!forecast.braces}, and other forecast.time_frames and forecast.targets, or disable forecasts with forecast.schedule: ""`
  const rows: readonly FindingRow[] = [
    [all.length === 0, 'warn', 'the responses have no forecasts', tryOthers],
    [lacking.length > 0, 'warn', `the responses have no forecasts of ${lacking.join(', ')}`, tryOthers],
    // `N/A` is a valid value.
    [made < all.length, 'info', `${text}, the others are N/A: usage falls, or there is too little history`],
  ]
  return firstOf(subject, rows, 'ok', text)
}
