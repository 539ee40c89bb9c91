import type { SystemClient } from '../../../api/client.ts'
import { ApiError } from '../../../api/errors/errors.ts'
import type { FeedReading } from '../../../api/feed/feed.ts'
import type { ForecastConfig } from '../../../config/config.ts'
import type { Finding } from '../check/check.ts'
import { failed } from '../check/remedies.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

/** How a system took a request for forecasts. */
type Answer =
  | { readonly kind: 'understood'; readonly reading: FeedReading }
  /** Forecasts came, but not those that were asked for. */
  | { readonly kind: 'other' }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly failure: ApiError }

/** Whether forecasts come, and whether the system takes the braces of the document literally. */
export const forecastsCheck = systemCheck({
  title: 'forecasts',
  needs: ['client', 'feeds'],
  run: async ({ config: { forecast }, signal }, { client, feeds }) => {
    if (forecast.schedule === '') {
      return { findings: [{ status: 'info', text: 'are turned off (forecast.schedule is empty)' }] }
    }
    const filled = feeds.filter(({ reading }) => reading.nodes.length > 0)
    const [first, ...others] = filled
    if (first === undefined) return { findings: [{ status: 'info', text: 'cannot be judged without nodes' }] }
    const ask = (feed: RawFeed, braces: boolean) => askFor(client, feed, { ...forecast, braces }, signal)
    const [chosen, other] = [await ask(first, forecast.braces), await ask(first, !forecast.braces)]
    const form = judgeForm(chosen, other, forecast)
    if (chosen.kind !== 'understood') return { findings: [form] }
    const rest = await Promise.all(others.map((feed) => ask(feed, forecast.braces)))
    return {
      findings: [
        form,
        ...filled.map(({ label }, index) => judgePool(label, index === 0 ? chosen : rest[index - 1])),
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
    return sort(reading, forecast, nodes.length)
  } catch (failure) {
    if (failure instanceof ApiError) return { kind: 'refused', failure }
    throw failure
  }
}

const DAYS = { d: 1, w: 7 } as const

function sort(reading: FeedReading, { timeFrames, targets }: ForecastConfig, nodes: number): Answer {
  const got = new Set(
    reading.nodes.flatMap(({ forecasts }) =>
      forecasts.map(({ historyDays, targetPercent }) => `${historyDays} ${targetPercent}`),
    ),
  )
  if (got.size === 0 || nodes === 0) return { kind: 'none' }
  const days = (frame: string) => Number.parseInt(frame, 10) * DAYS[frame.endsWith('w') ? 'w' : 'd']
  const asked = timeFrames.flatMap((frame) => targets.map((target) => `${days(frame)} ${target}`))
  return asked.every((one) => got.has(one)) ? { kind: 'understood', reading } : { kind: 'other' }
}

const formText = (braces: boolean) => (braces ? 'with braces, {7d;4w}' : 'without braces, 7d;4w')

function judgeForm(chosen: Answer, other: Answer, { braces }: ForecastConfig): Finding {
  const [ours, theirs] = [formText(braces), formText(!braces)]
  if (chosen.kind === 'understood') {
    if (other.kind === 'understood') {
      return {
        status: 'ok',
        text: 'the system understands both forms, {7d;4w} and 7d;4w: forecast.braces may be either',
      }
    }
    return {
      status: 'ok',
      text: `the system understands the form ${ours}, and not ${theirs}: forecast.braces is right`,
    }
  }
  if (other.kind === 'understood') {
    const text = `the system does not understand the form ${ours}${whyNot(chosen)}, but does so ${theirs}`
    return { status: 'fail', text, remedy: `set forecast.braces: ${!braces}` }
  }
  if (chosen.kind === 'refused') return failed(chosen.failure)
  return {
    status: 'warn',
    text: `no forecasts come, neither ${ours} nor ${theirs}${whyNot(chosen)}`,
    remedy:
      'try other forecast.time_frames and forecast.targets, or turn forecasts off with forecast.schedule: ""',
  }
}

function whyNot(answer: Answer): string {
  if (answer.kind === 'refused') return ` (${answer.failure.detail})`
  return answer.kind === 'other' ? ' (it answers with other forecasts than asked for)' : ''
}

/** `N/A` is an answer: usage falls, or there is too little history. */
function judgePool(subject: string, answer: Answer | undefined): Finding {
  if (answer?.kind === 'refused') return failed(answer.failure, { subject })
  if (answer?.kind !== 'understood')
    return { status: 'warn', subject, text: 'no forecasts', remedy: 'compare with the management interface' }
  const all = answer.reading.nodes.flatMap(({ forecasts }) => forecasts)
  const made = all.filter(({ days }) => days !== undefined).length
  const text = `${made} of ${all.length} forecasts are made`
  if (made === all.length) return { status: 'ok', subject, text }
  return {
    status: 'info',
    subject,
    text: `${text}, the others are N/A: usage falls, or there is too little history`,
  }
}
