import type { Period } from '../../api/history/series.ts'

/** Values of a period that a source did not answer. */
export interface UnreadGap extends Pick<Period, 'start' | 'end'> {
  /** Key of the source. */
  readonly source: string
  /** Subject of the values, as the source names it. */
  readonly subject: string
}

/** The gaps with another one. Those of the same subject that touch become one. */
export function withUnreadGap(gaps: readonly UnreadGap[], gap: UnreadGap): readonly UnreadGap[] {
  const touching = gaps.filter(
    ({ source, subject, start, end }) =>
      source === gap.source && subject === gap.subject && start <= gap.end && end >= gap.start,
  )
  const united = [gap, ...touching]
  const start = Math.min(...united.map((one) => one.start))
  const end = Math.max(...united.map((one) => one.end))
  return [...gaps.filter((one) => !touching.includes(one)), { ...gap, start, end }]
}

/** What remains of the gaps when the values of these subjects are there for the period. */
export function withoutPeriod(
  gaps: readonly UnreadGap[],
  { source, subjects }: { readonly source: string; readonly subjects: ReadonlySet<string> },
  { start, end }: Pick<Period, 'start' | 'end'>,
): readonly UnreadGap[] {
  return gaps.flatMap((gap) => {
    if (gap.source !== source || !subjects.has(gap.subject)) return [gap]
    const rest = [
      { ...gap, end: Math.min(gap.end, start) },
      { ...gap, start: Math.max(gap.start, end) },
    ]
    return rest.filter((one) => one.start < one.end)
  })
}

/** One that cannot be read does not hide those after it. */
const MOST_SECONDS = 3600

/** The gaps of a source by their periods, an hour at most: the values of one period are read together. */
export function periodsOfUnreadGaps(gaps: readonly UnreadGap[], source: string) {
  const own = gaps.filter((gap) => gap.source === source)
  const byPeriod = Map.groupBy(own, ({ start, end }) => `${start} ${end}`)
  return [...byPeriod.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const subjects = new Set(same.map(({ subject }) => subject))
    return Array.from({ length: Math.ceil((first.end - first.start) / MOST_SECONDS) }, (_, index) => {
      const start = first.start + index * MOST_SECONDS
      return { start, end: Math.min(start + MOST_SECONDS, first.end), subjects }
    })
  })
}
