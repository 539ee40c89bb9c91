import type { FeedReading } from '../../../api/feed/feed.ts'
import type { Category } from '../../../catalogue.ts'
import { newestTimes } from '../../../metrics/newest_times.ts'
import { durationText } from '../../cli/quantities.ts'
import type { Finding } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

/** Three intervals of the five minutes in which statistics are made. */
export const OLD_SECONDS = 900
/** More than clocks that are compared in whole seconds may be apart. */
const FUTURE_SECONDS = 60

/** How old the newest sample of each category is, by the clock of the system. */
export const agesCheck = systemCheck({
  title: 'samples',
  needs: ['feeds', 'skewSeconds'],
  run: (_, { feeds, skewSeconds }) => {
    const now = Date.now() / 1000 + skewSeconds
    return { findings: feeds.flatMap((feed) => agesOf(feed, now)) }
  },
})

function agesOf({ label: subject, reading }: RawFeed, now: number): Finding[] {
  const newest = [...newestOf(reading)]
  if (newest.length === 0) return []
  const age = (t: number) => Math.round(now - t)
  const wrong = newest.filter(([, t]) => age(t) > OLD_SECONDS || age(t) < -FUTURE_SECONDS)
  if (wrong.length === 0) {
    const text = newest.map(([category, t]) => `${category} ${durationText(Math.max(age(t), 0))}`).join(', ')
    return [{ status: 'ok', subject, text: `age of the newest: ${text}` }]
  }
  return wrong.map(([category, t]) => misplaced(subject, category, t, age(t)))
}

function misplaced(subject: string, category: Category, t: number, age: number): Finding {
  const at = `the newest sample is of ${momentText(t)}`
  const text =
    age < 0 ? `${category} is ${durationText(-age)} in the future` : `${category} is ${durationText(age)} old`
  return {
    status: 'warn',
    subject,
    text: `${text}: ${at}`,
    remedy:
      age < 0
        ? 'repair time synchronisation (NTP) between the nodes of the system'
        : 'the statistics of the system stand still: compare with its management interface, and call support',
  }
}

/** A time in seconds since the epoch, which may be in another unit and then beyond every calendar. */
function momentText(t: number): string {
  const date = new Date(t * 1000)
  return Number.isNaN(date.getTime()) ? `second ${t} since 1970, which is no date` : date.toISOString()
}

/** Of all nodes together. */
function newestOf({ nodes }: FeedReading): ReadonlyMap<Category, number> {
  const newest = new Map<Category, number>()
  for (const [category, t] of nodes.flatMap((node) => [...newestTimes(node)])) {
    newest.set(category, Math.max(t, newest.get(category) ?? t))
  }
  return newest
}
