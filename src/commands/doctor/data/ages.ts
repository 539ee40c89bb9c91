import { createJoin, type MergedReading, mergePerformance } from '../../../api/query/merge.ts'
import type { Category } from '../../../catalogue.ts'
import { newestTimes } from '../../../metrics/newest_times.ts'
import { durationText } from '../../../text.ts'
import type { Finding } from '../check/check.ts'
import { type RawFeed, systemCheck } from '../check/system_facts.ts'

/** Three statistics intervals of 5 minutes. */
export const OLD_SECONDS = 900
/** Tolerance for clock differences between nodes. */
const FUTURE_SECONDS = 60

/** Checks the age of the newest sample of each category, by the clock of the system. */
export const agesCheck = systemCheck({
  title: 'samples',
  needs: ['feeds', 'performance', 'skewSeconds'],
  run: (_, { feeds, performance, skewSeconds }) => {
    const now = Date.now() / 1000 + skewSeconds
    const all = feeds.flatMap(({ reading }) => reading.nodes)
    const find = performance === null ? undefined : createJoin(performance.reading.nodes, all)
    const merged = feeds.map(({ label, reading }) => ({ label, reading: mergePerformance(reading, find) }))
    return { findings: merged.flatMap((feed) => agesOf(feed, now)) }
  },
})

interface LabelledReading extends Pick<RawFeed, 'label'> {
  readonly reading: MergedReading
}

function agesOf({ label: subject, reading }: LabelledReading, now: number): Finding[] {
  const newest = [...newestOf(reading)]
  if (newest.length === 0) return []
  const age = (t: number) => Math.round(now - t)
  const unusual = newest.filter(([, t]) => age(t) > OLD_SECONDS || age(t) < -FUTURE_SECONDS)
  if (unusual.length === 0) {
    const text = newest.map(([category, t]) => `${category} ${durationText(Math.max(age(t), 0))}`).join(', ')
    return [{ status: 'ok', subject, text: `age of the newest sample: ${text}` }]
  }
  return unusual.map(([category, t]) => ageWarning(subject, category, t, age(t)))
}

function ageWarning(subject: string, category: Category, t: number, age: number): Finding {
  const at = `the newest sample is from ${new Date(t * 1000).toISOString()}`
  const text =
    age < 0 ? `${category} is ${durationText(-age)} in the future` : `${category} is ${durationText(age)} old`
  return {
    status: 'warn',
    subject,
    text: `${text}: ${at}`,
    remedy:
      age < 0
        ? 'correct time synchronisation (NTP) between the nodes of the system'
        : 'the system does not update its statistics: compare with its management interface, and contact support',
  }
}

/** The newest sample time of all nodes, by category. */
function newestOf({ nodes }: MergedReading): ReadonlyMap<Category, number> {
  const newest = new Map<Category, number>()
  for (const [category, t] of nodes.flatMap((node) => [...newestTimes(node)])) {
    newest.set(category, Math.max(t, newest.get(category) ?? t))
  }
  return newest
}
