import { createJoin, type MergedReading, mergePerformance } from '../../../api/query/merge.ts'
import type { Category } from '../../../catalogue.ts'
import { newestTimes } from '../../../metrics/newest_times.ts'
import { durationText } from '../../../text.ts'
import { allOf, type Finding, type FindingRow } from '../check/check.ts'
import { systemCheck } from '../check/system_facts.ts'

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
    const readings = feeds.map(({ reading }) => reading)
    const find = performance === null ? undefined : createJoin(performance.reading.nodes, readings)
    const merged = feeds.map(({ label, reading }) => ({ label, reading: mergePerformance(reading, find) }))
    return merged.flatMap((feed) => agesOf(feed, now))
  },
})

function agesOf(
  { label: subject, reading }: { label: string; reading: MergedReading },
  now: number,
): Finding[] {
  const newest = [...newestOf(reading)]
  const age = (t: number) => Math.round(now - t)
  const unusual = newest.filter(([, t]) => age(t) > OLD_SECONDS || age(t) < -FUTURE_SECONDS)
  const ages = newest.map(([category, t]) => `${category} ${durationText(Math.max(age(t), 0))}`).join(', ')
  const isUsual = newest.length > 0 && unusual.length === 0
  return allOf(subject, [
    [isUsual, 'ok', `age of the newest sample: ${ages}`],
    ...unusual.map(([category, t]) => ageWarning(category, t, age(t))),
  ])
}

function ageWarning(category: Category, t: number, age: number): FindingRow {
  const state = `${durationText(Math.abs(age))} ${age < 0 ? 'in the future' : 'old'}`
  const text = `${category} is ${state}: the newest sample is from ${new Date(t * 1000).toISOString()}`
  return [true, 'warn', text, age < 0 ? SYNCHRONIZE : NOT_UPDATED]
}

export const SYNCHRONIZE = 'correct time synchronisation (NTP) between the nodes of the system'
const NOT_UPDATED =
  'the system does not update its statistics: compare with its management interface, and contact support'

/** The newest sample time of all nodes, by category. */
function newestOf({ nodes }: MergedReading): ReadonlyMap<Category, number> {
  const newest = new Map<Category, number>()
  for (const [category, t] of nodes.flatMap((node) => [...newestTimes(node)])) {
    newest.set(category, Math.max(t, newest.get(category) ?? t))
  }
  return newest
}
