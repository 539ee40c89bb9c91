import type { SystemClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import type { FeedReading } from '../../../api/feed/feed.ts'
import type { ForecastConfig } from '../../../config/config.ts'
import type { Finding } from '../check/check.ts'
import { failed } from '../check/remedies.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

/** Result of a request for forecasts. */
type Answer =
  | { readonly kind: 'supported'; readonly reading: FeedReading }
  /** The response has forecasts, but not the requested ones. */
  | { readonly kind: 'other' }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly failure: ApiError }

/** Checks whether the system serves forecasts, and whether it needs the braces in the request. */
export const forecastsCheck = systemCheck({
  title: 'forecasts',
  needs: ['client', 'feeds'],
  run: async ({ config: { forecast }, signal }, { client, feeds }) => {
    if (forecast.schedule === '') {
      return { findings: [{ status: 'info', text: 'disabled (forecast.schedule is empty)' }] }
    }
    const filled = feeds.filter(({ reading }) => reading.nodes.length > 0)
    const [first, ...others] = filled
    if (first === undefined)
      return { findings: [{ status: 'info', text: 'cannot be checked without nodes' }] }
    const ask = (feed: RawFeed, braces: boolean) => askFor(client, feed, { ...forecast, braces }, signal)
    const [chosen, other] = [await ask(first, forecast.braces), await ask(first, !forecast.braces)]
    const form = formFinding(chosen, other, forecast)
    if (chosen.kind !== 'supported') return { findings: [form] }
    const rest = await Promise.all(others.map((feed) => ask(feed, forecast.braces)))
    return {
      findings: [
        form,
        ...filled.map(({ label }, index) => poolFinding(label, index === 0 ? chosen : rest[index - 1])),
      ],
    }
  },
})

async function askFor(
  client: SystemClient,
  { pool, reading: { nodes } }: RawFeed,
  forecast: ForecastConfig,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const reading = await client.forecasts(pool.id, forecast, signal)
    return classify(reading, forecast, nodes.length)
  } catch (failure) {
    if (failure instanceof ApiError) return { kind: 'refused', failure }
    throw failure
  }
}

const DAYS = { d: 1, w: 7 } as const

function classify(reading: FeedReading, { timeFrames, targets }: ForecastConfig, nodes: number): Answer {
  const got = new Set(
    reading.nodes.flatMap(({ forecasts }) =>
      forecasts.map(({ historyDays, targetPercent }) => `${historyDays} ${targetPercent}`),
    ),
  )
  if (got.size === 0 || nodes === 0) return { kind: 'none' }
  const days = (frame: string) => Number.parseInt(frame, 10) * DAYS[frame.endsWith('w') ? 'w' : 'd']
  const requested = timeFrames.flatMap((frame) => targets.map((target) => `${days(frame)} ${target}`))
  return requested.every((one) => got.has(one)) ? { kind: 'supported', reading } : { kind: 'other' }
}

const formText = (braces: boolean) => (braces ? 'with braces, {7d;4w}' : 'without braces, 7d;4w')

function formFinding(chosen: Answer, other: Answer, { braces }: ForecastConfig): Finding {
  const [ours, theirs] = [formText(braces), formText(!braces)]
  if (chosen.kind === 'supported') {
    if (other.kind === 'supported') {
      return {
        status: 'ok',
        text: 'the system supports both forms, {7d;4w} and 7d;4w: forecast.braces can be true or false',
      }
    }
    return {
      status: 'ok',
      text: `the system supports requests ${ours}, but not ${theirs}: forecast.braces is correct`,
    }
  }
  if (other.kind === 'supported') {
    const text = `the system does not support requests ${ours}${reasonOf(chosen)}, but it supports requests ${theirs}`
    return { status: 'fail', text, remedy: `set forecast.braces: ${!braces}` }
  }
  if (chosen.kind === 'refused') return failed(chosen.failure)
  return {
    status: 'warn',
    text: `no forecasts, neither ${ours} nor ${theirs}${reasonOf(chosen)}`,
    remedy:
      'try other forecast.time_frames and forecast.targets, or disable forecasts with forecast.schedule: ""',
  }
}

function reasonOf(answer: Answer): string {
  if (answer.kind === 'refused') return ` (${answer.failure.detail})`
  return answer.kind === 'other' ? ' (the response has other forecasts than requested)' : ''
}

/** `N/A` is a valid value: usage falls, or there is too little history. */
function poolFinding(subject: string, answer: Answer | undefined): Finding {
  if (answer?.kind === 'refused') return failed(answer.failure, { subject })
  if (answer?.kind !== 'supported')
    return { status: 'warn', subject, text: 'no forecasts', remedy: 'compare with the management interface' }
  const all = answer.reading.nodes.flatMap(({ forecasts }) => forecasts)
  const made = all.filter(({ days }) => days !== undefined).length
  const text = `${made} of ${all.length} forecasts have a value`
  if (made === all.length) return { status: 'ok', subject, text }
  return {
    status: 'info',
    subject,
    text: `${text}, the others are N/A: usage falls, or there is too little history`,
  }
}
